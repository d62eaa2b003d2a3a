package address

import (
	"golang.org/x/crypto/blake2b"

	"github.com/walletscreen/walletscreen/internal/identity"
)

// chains is the table of all supported chains. To add a chain that uses an existing format, add a
// row and a file of vectors in testdata/vectors; see CONTRIBUTING.md.
//
// If several chains share the spelling of an address, [Detect] and [FindAll]
// prefer the first in this table. The groups only help the reader.
//
// Slugs and identifiers come from the chains' own documentation, the CAIP-2
// namespaces and SLIP-44. Identifiers that are not registered are left out, as
// is the blockchain id of a chain that shares Bitcoin's genesis block.
//
// go generate writes what follows from the table: the lists of chains in
// CONTRIBUTING.md and httpapi/openapi.yaml, their number, and testdata/ids.golden.
//
//go:generate go test -count=1 -run ^(TestPapers|TestIDs)$ . -update
var chains = [...]chain{
	// id, slug, name, CAIP-2, SLIP-44, aliases, tickers, spellings

	// UTXO chains.
	{1, "bitcoin", "Bitcoin", "bip122:000000000019d6689c085ae165831e93", 0, "", "BTC XBT", all(pkh("\x00"), sh("\x05"), segwit("bc"), test(pkh("\x6f", "\xc4"), segwit("tb", "bcrt")))},
	{2, "litecoin", "Litecoin", "bip122:12a765e31ffd4059bada1e25190f6e98", 2, "", "LTC", all(pkh("\x30"), sh("\x32", "\x05"), segwit("ltc"), mweb("ltcmweb"), test(pkh("\x6f", "\x3a", "\xc4"), segwit("tltc", "rltc"), mweb("tmweb")))},
	{3, "dogecoin", "Dogecoin", "bip122:1a91e3dace36e2be3bf030a65679fe82", 3, "doge", "DOGE", all(pkh("\x1e"), sh("\x16"), test(pkh("\x71", "\xc4", "\x6f")))},
	{4, "dash", "Dash", "bip122:00000ffd590b1485b3caadc19b22e637", 5, "", "DASH", all(pkh("\x4c"), sh("\x10"), test(pkh("\x8c", "\x13")))},
	{5, "bitcoin-cash", "Bitcoin Cash", "bip122:000000000000000000651ef99cb9fcbe", 145, "bitcoincash", "BCH", all(cashAddr("bitcoincash", true, "bchtest", "bchreg"), pkh("\x00"), sh("\x05"), test(pkh("\x6f", "\xc4")))},
	{6, "bitcoin-sv", "Bitcoin SV", "", 236, "bitcoinsv", "BSV", all(pkh("\x00"), sh("\x05"), test(pkh("\x6f", "\xc4")))},
	{7, "ecash", "eCash", "", 899, "", "XEC BCHA", all(cashAddr("ecash", false, "ectest", "ecreg"), pkh("\x00"), sh("\x05"), test(pkh("\x6f", "\xc4")))},
	{8, "zcash", "Zcash", "bip122:00040fe8ec8471911baa1db1266ea15d", 133, "", "ZEC", zcash()},
	{9, "digibyte", "DigiByte", "bip122:7497ea1b465eb39f1c8f507bc877078f", 20, "", "DGB", all(pkh("\x1e"), sh("\x3f", "\x05"), segwit("dgb"), test(pkh("\x7e", "\x8c"), segwit("dgbt", "dgbrt")))},
	{10, "verge", "Verge", "bip122:00000fc63692467faeb20cdb3b53200d", 77, "", "XVG", all(pkh("\x1e"), sh("\x21"), segwit("vg"), test(pkh("\x73", "\xc6", "\x6f", "\xc4"), segwit("vt")))},
	{11, "ravencoin", "Ravencoin", "bip122:0000006b444bc2f2ffe627be9d9e7e7a", 175, "", "RVN", all(pkh("\x3c"), sh("\x7a"), test(pkh("\x6f", "\xc4")))},
	{12, "namecoin", "Namecoin", "bip122:000000000062b72c5e2ceb45fbc8587e", 7, "", "NMC", all(pkh("\x34"), sh("\x0d"), segwit("nc"), test(pkh("\x6f", "\xc4"), segwit("tn", "ncrt")))},
	{13, "peercoin", "Peercoin", "bip122:0000000032fe677166d54963b62a4677", 6, "", "PPC", all(pkh("\x37"), sh("\x75"), segwit("pc"), test(pkh("\x6f", "\xc4"), segwit("tpc", "pcrt")))},
	{14, "vertcoin", "Vertcoin", "bip122:4d96a915f49d40b1e5c2844d1ee2dccb", 28, "", "VTC", all(pkh("\x47"), sh("\x05"), segwit("vtc"), test(pkh("\x4a", "\xc4", "\x6f"), segwit("tvtc")))},
	{15, "groestlcoin", "Groestlcoin", "bip122:00000ac5927c594d49cc0bdb81759d0d", 17, "", "GRS", all(pkh("\x24"), sh("\x05"), segwit("grs"), test(pkh("\x6f", "\xc4"), segwit("tgrs", "grsrt"))).by(groestl512)},
	{16, "qtum", "Qtum", "bip122:000075aef83cf2853580f8ae8ce6f8c3", 2301, "", "QTUM", all(pkh("\x3a"), sh("\x32"), segwit("qc"), test(pkh("\x78", "\x6e"), segwit("tq", "qcrt")))},
	{17, "firo", "Firo", "bip122:4381deb85b1b2c9843c222944b616d99", 136, "zcoin", "FIRO XZC", all(pkh("\x52"), sh("\x07"), hashed("\x01\xb9\xbb", kindExchange, identity.Hash160, "p2pkh"), test(pkh("\x41", "\xb2", "\x01\xb9\xb1")))},
	{18, "pivx", "PIVX", "bip122:0000041e482b9b9691d98eefb4847340", 119, "", "PIVX", all(pkh("\x1e"), sh("\x0d"), hashed("\x3f", kindStaking, identity.Hash160, "p2pkh"), hashed("\x01\xb9\xa2", kindExchange, identity.Hash160, "p2pkh"), sapling("ps"), test(pkh("\x8b", "\x13", "\x49", "\x01\xb9\xb1"), sapling("ptestsapling")))},
	{19, "decred", "Decred", "bip122:298e5cc3d985bfe7f81dc135f360abe0", 42, "", "DCR", decred()},
	{20, "horizen", "Horizen", "bip122:0007104ccda289427919efc39dc9e4d4", 121, "zencash", "ZEN", all(pkh("\x20\x89", "\x1c\xb8"), sh("\x20\x96", "\x1c\xbd"), sprout("\x16\x9a"), test(pkh("\x20\x98", "\x20\x92", "\x1d\x25", "\x1c\xba"), sprout("\x16\xb6")))},
	{21, "komodo", "Komodo", "bip122:027e3758c3a65b12aa1046462b486d0a", 141, "", "KMD", all(pkh("\x3c"), sh("\x55"), test(pkh("\x6f", "\xc4")))},
	{22, "liquid", "Liquid", "bip122:1466275836220db2944ca059a3a10ef6", 1776, "liquid-network", "LBTC L-BTC", liquid()},
	{23, "monacoin", "Monacoin", "bip122:ff9f1c0116d19de7c9963845e129f9ed", 22, "", "MONA", all(pkh("\x32"), sh("\x37", "\x05"), segwit("mona"), test(pkh("\x6f", "\x75", "\xc4"), segwit("tmona", "rmona")))},
	{24, "viacoin", "Viacoin", "bip122:4e9b54001f9976049830128ec0331515", 14, "", "VIA", all(pkh("\x47"), sh("\x21"), segwit("via"), test(pkh("\x7f", "\xc4"), segwit("tvia")))},
	{25, "syscoin", "Syscoin", "bip122:0000022642db0346b6e01c2a397471f4", 57, "", "SYS", all(pkh("\x3f"), sh("\x05"), segwit("sys"), test(pkh("\x41", "\xc4"), segwit("tsys")))},
	{26, "reddcoin", "Reddcoin", "bip122:b868e0d95a3c3c0e0dadc67ee587aaf9", 4, "", "RDD", all(pkh("\x3d"), sh("\x05"), segwit("rdd"), test(pkh("\x6f", "\xc4"), segwit("trdd")))},
	{27, "lbry", "LBRY", "", 140, "lbry-credits", "LBC", all(pkh("\x55"), sh("\x7a"), segwit("lbc"), test(pkh("\x6f", "\xc4"), segwit("tlbc", "rlbc")))},
	{28, "stratis", "Stratis", "", 105105, "", "STRAX", all(pkh("\x4b"), sh("\x8c"), segwit("strax"), test(pkh("\x78", "\x7f"), segwit("tstrax")))},
	{29, "flux", "Flux", "", 19167, "zelcash", "FLUX", all(pkh("\x1c\xb8"), sh("\x1c\xbd"), test(pkh("\x1d\x25", "\x1c\xba")))},
	{30, "zclassic", "Zclassic", "", 147, "", "ZCL", all(pkh("\x1c\xb8"), sh("\x1c\xbd"), test(pkh("\x1d\x25", "\x1c\xba")))},
	{31, "bitcoinz", "BitcoinZ", "", 177, "", "BTCZ", all(pkh("\x1c\xb8"), sh("\x1c\xbd"), test(pkh("\x1d\x25", "\x1c\xba")))},
	{32, "bitcoin-diamond", "Bitcoin Diamond", "", 999, "bitcoindiamond", "BCD", all(pkh("\x00"), sh("\x05"), segwit("bcd"), test(pkh("\x6f", "\xc4")))},
	{33, "handshake", "Handshake", "", 5353, "", "HNS", handshake()},

	// Chains of the Ethereum Virtual Machine.
	{34, "ethereum", "Ethereum", "eip155:1", 60, "mainnet", "ETH USDT USDC", evm()},
	{35, "ethereum-classic", "Ethereum Classic", "eip155:61", 61, "classic ethereumclassic", "ETC", evm()},
	{36, "bsc", "BNB Smart Chain", "eip155:56", 714, "smartchain binance-smart-chain bnb-smart-chain", "BNB BSC", evm()},
	{37, "polygon", "Polygon PoS", "eip155:137", 966, "polygon-pos", "POL MATIC", evm()},
	{38, "arbitrum", "Arbitrum One", "eip155:42161", 60, "arbitrum-one arb1", "ARB", evm()},
	{39, "optimism", "OP Mainnet", "eip155:10", 60, "oeth optimistic-ethereum op-mainnet", "OP", evm()},
	{40, "base", "Base", "eip155:8453", 60, "base-mainnet", "", evm()},
	{41, "avalanche", "Avalanche C-Chain", "eip155:43114", 9005, "avalanche-c c-chain avalanchec avalanche-c-chain", "AVAX", evm()},
	{42, "fantom", "Fantom", "eip155:250", 1007, "fantom-opera", "FTM", evm()},
	{43, "sonic", "Sonic", "eip155:146", 10007, "", "S", evm()},
	{44, "gnosis", "Gnosis Chain", "eip155:100", 700, "gnosis-chain xdai", "XDAI GNO", evm()},
	{45, "celo", "Celo", "eip155:42220", 52752, "celo-mainnet", "CELO", evm()},
	{46, "linea", "Linea", "eip155:59144", 60, "linea-mainnet", "LINEA", evm()},
	{47, "scroll", "Scroll", "eip155:534352", 60, "scroll-mainnet", "SCR", evm()},
	{48, "zksync", "ZKsync Era", "eip155:324", 60, "zksync-era", "ZK", evm()},
	{49, "mantle", "Mantle", "eip155:5000", 60, "mantle-mainnet", "MNT", evm()},
	{50, "blast", "Blast", "eip155:81457", 60, "blastmainnet", "BLAST", evm()},
	{51, "cronos", "Cronos EVM", "eip155:25", 60, "cronos-evm cro-evm", "CRO", evmCosmos("crc", "crcvaloper")},
	{52, "moonbeam", "Moonbeam", "eip155:1284", 1284, "mbeam", "GLMR", evm()},
	{53, "moonriver", "Moonriver", "eip155:1285", 1285, "mriver", "MOVR", evm()},
	{54, "kaia", "Kaia", "eip155:8217", 8217, "klaytn klay-token kaia-mainnet cypress", "KAIA KLAY", evm()},
	{55, "aurora", "Aurora", "eip155:1313161554", 60, "aurora-evm", "AURORA", evm()},
	{56, "pulsechain", "PulseChain", "eip155:369", 60, "", "PLS", evm()},
	{57, "flare", "Flare", "eip155:14", 60, "flare-network", "FLR", evm()},
	{58, "berachain", "Berachain", "eip155:80094", 60, "", "BERA", evm()},
	{59, "viction", "Viction", "eip155:88", 889, "tomochain", "VIC TOMO", evm()},
	{60, "vechain", "VeChain", "vechain:b1ac3413d346d43539627e6be7ec1b4a", 818, "vechain-thor", "VET", evm()},
	{61, "theta", "Theta", "eip155:361", 500, "theta-mainnet theta-token", "THETA TFUEL", evm()},
	{62, "wanchain", "Wanchain", "eip155:888", 5718350, "", "WAN", evmWith("0x", wanchain)},
	{63, "rootstock", "Rootstock", "eip155:30", 137, "rsk", "RBTC RSK", evmWith("0x", erc1191)},
	// See the XDC Network documentation, "XDC address prefix", and the Ronin documentation, "Address formats".
	{64, "xdc", "XDC Network", "eip155:50", 550, "xdc-network xinfin", "XDC", all(evm(), evmWith("xdc", eip55))},
	{65, "ronin", "Ronin", "eip155:2020", 60, "ronin-mainnet", "RON", all(evm(), evmWith("ronin:", eip55))},
	{66, "harmony", "Harmony", "eip155:1666600000", 1023, "hmy-s0 harmony-shard-0", "ONE", evmCosmos("one", "")},
	{67, "iotex", "IoTeX", "eip155:4689", 304, "iotex-mainnet iotexevm", "IOTX", evmCosmos("io", "", "it")},
	{68, "injective", "Injective", "cosmos:injective-1", 60, "nativeinjective injective-protocol", "INJ", evmCosmos("inj", "injvaloper")},
	{69, "arbitrum-nova", "Arbitrum Nova", "eip155:42170", 60, "arb-nova arbitrumnova", "", evm()},
	{70, "metis", "Metis", "eip155:1088", 60, "metis-andromeda", "METIS", evm()},
	{71, "opbnb", "opBNB", "eip155:204", 60, "obnb", "", evm()},
	{72, "polygon-zkevm", "Polygon zkEVM", "eip155:1101", 60, "zkevm polygonzkevm", "", evm()},
	{73, "manta", "Manta", "eip155:169", 60, "manta-pacific mantapacific", "MANTA", evm()},
	{74, "mode", "Mode", "eip155:34443", 60, "", "MODE", evm()},
	{75, "zora", "Zora", "eip155:7777777", 60, "zora-network", "ZORA", evm()},
	{76, "unichain", "Unichain", "eip155:130", 60, "", "", evm()},
	{77, "worldchain", "World Chain", "eip155:480", 60, "world-chain wc", "", evm()},
	{78, "boba", "Boba", "eip155:288", 60, "boba-network", "BOBA", evm()},
	{79, "story", "Story", "eip155:1514", 60, "sty", "IP", evm()},
	{80, "monad", "Monad", "eip155:143", 60, "", "MON", evm()},
	{81, "hyperevm", "HyperEVM", "eip155:999", 60, "hyperliquid hyper-evm", "HYPE", evm()},
	{82, "plasma", "Plasma", "eip155:9745", 60, "", "XPL", evm()},
	{83, "neon", "Neon", "eip155:245022934", 60, "neon-evm neonevm-mainnet", "NEON", evm()},
	{84, "telos", "Telos EVM", "eip155:40", 977, "telos-evm telosevm", "TLOS", evm()},
	{85, "fuse", "Fuse", "eip155:122", 60, "", "FUSE", evm()},
	{86, "bittorrent", "BitTorrent Chain", "eip155:199", 60, "bittorrent-chain", "BTT BTTC", evm()},
	{87, "okx-chain", "OKX Chain", "eip155:66", 60, "okex-chain okc", "OKT", evm()},
	{88, "energy-web", "Energy Web", "eip155:246", 246, "energy-web-chain energyweb", "EWT", evm()},
	{89, "kava-evm", "Kava EVM", "eip155:2222", 459, "kavaevm", "", evm()},
	{90, "conflux-espace", "Conflux eSpace", "eip155:1030", 60, "cfxevm cfx-evm confluxespace", "CFX", evm()},
	{91, "ink", "Ink", "eip155:57073", 60, "ink-mainnet", "", evm()},
	{92, "abstract", "Abstract", "eip155:2741", 60, "", "", evm()},
	{93, "soneium", "Soneium", "eip155:1868", 60, "", "", evm()},
	{94, "x-layer", "X Layer", "eip155:196", 60, "xlayer", "OKB", evm()},
	{95, "megaeth", "MegaETH", "eip155:4326", 60, "", "", evm()},
	{96, "katana", "Katana", "eip155:747474", 60, "", "", evm()},
	{97, "plume", "Plume", "eip155:98866", 60, "plume-network plume-mainnet", "PLUME", evm()},
	{98, "apechain", "ApeChain", "eip155:33139", 60, "ape-chain", "APE", evm()},
	{99, "taiko", "Taiko", "eip155:167000", 60, "taiko-mainnet tko-mainnet", "TAIKO", evm()},
	{100, "lisk", "Lisk", "eip155:1135", 60, "", "LSK", evm()},
	{101, "coredao", "Core DAO", "eip155:1116", 60, "core-dao core-blockchain", "CORE", evm()},
	{102, "immutable-zkevm", "Immutable zkEVM", "eip155:13371", 60, "immutable", "IMX", evm()},
	{103, "evmos", "Evmos", "eip155:9001", 60, "nativeevmos", "EVMOS", evmCosmos("evmos", "evmosvaloper")},
	{104, "canto", "Canto", "eip155:7700", 60, "nativecanto", "CANTO", evmCosmos("canto", "cantovaloper")},
	{105, "zetachain", "ZetaChain", "eip155:7000", 7000, "zetachain-mainnet zetaevm nativezetachain", "ZETA", evmCosmos("zeta", "zetavaloper")},
	{106, "dymension", "Dymension", "cosmos:dymension_1100-1", 60, "dymension-hub", "DYM", evmCosmos("dym", "dymvaloper")},
	{212, "arc", "Arc", "eip155:5042", 60, "arc-mainnet", "", evm()},
	{213, "tempo", "Tempo", "eip155:4217", 60, "tempo-mainnet", "", tempo()},
	{214, "robinhood", "Robinhood Chain", "eip155:4663", 60, "robinhoodchain", "", evm()},
	{215, "chiliz", "Chiliz Chain", "eip155:88888", 60, "", "CHZ", evm()},
	{216, "songbird", "Songbird", "eip155:19", 60, "songbird-canary-network", "SGB", evm()},
	{217, "stable", "Stable", "eip155:988", 60, "stable-mainnet", "", evm()},
	{218, "somnia", "Somnia", "eip155:5031", 60, "somnia-mainnet somniamainnet", "SOMI", evm()},
	{219, "0g", "0G", "eip155:16661", 60, "0g-mainnet", "", evm()},
	{220, "hemi", "Hemi", "eip155:43111", 60, "hemi-network", "HEMI", evm()},
	{221, "etherlink", "Etherlink", "eip155:42793", 60, "etlk etherlink-mainnet", "", evm()},
	{222, "morph", "Morph", "eip155:2818", 60, "morph-mainnet", "", evm()},
	{223, "merlin", "Merlin Chain", "eip155:4200", 60, "merlin-mainnet merlinchain", "", evm()},
	{224, "lightlink", "LightLink", "eip155:1890", 60, "lightlink-phoenix-mainnet", "", evm()},
	{225, "oasys", "Oasys", "eip155:248", 60, "oasys-mainnet", "OAS", evm()},
	{226, "wemix", "WEMIX", "eip155:1111", 60, "wemix-mainnet", "WEMIX", evm()},
	// The next by ethereum-lists/chains, _data/chains/eip155-<id>.json.
	{235, "lens", "Lens", "eip155:232", 60, "", "", evm()},
	{236, "mezo", "Mezo", "eip155:31612", 60, "", "", evm()},
	{237, "botanix", "Botanix", "eip155:3637", 60, "btnx", "", evm()},
	{238, "citrea", "Citrea", "eip155:4114", 60, "citrea-mainnet", "", evm()},
	{239, "bob", "BOB", "eip155:60808", 60, "", "", evm()},
	{240, "sophon", "Sophon", "eip155:50104", 60, "", "SOPH", evm()},
	{241, "codex", "Codex", "eip155:81224", 60, "", "", evm()},
	{242, "pharos", "Pharos", "eip155:1672", 60, "", "PROS", evm()},
	{243, "kite", "Kite", "eip155:2366", 60, "kiteai kite-ai", "KITE", evm()},
	{244, "xrpl-evm", "XRPL EVM Sidechain", "eip155:1440000", 60, "xrplevm", "", evm()},
	{245, "jovay", "Jovay", "eip155:5734951", 60, "", "", evm()},
	{246, "creditcoin", "Creditcoin", "eip155:102030", 60, "", "CTC", evm()},
	{247, "coti", "COTI", "eip155:2632500", 60, "", "COTI", evm()},
	{248, "rise", "RISE", "eip155:4153", 60, "", "", evm()},
	{249, "elastos-smart-chain", "Elastos Smart Chain", "eip155:20", 60, "elastos-esc", "ELA", evm()},
	{227, "xpla", "XPLA", "cosmos:dimension_37-1", 60, "", "XPLA", evmCosmos("xpla", "xplavaloper")},

	// Cosmos SDK chains.
	{107, "cosmos", "Cosmos Hub", "cosmos:cosmoshub-4", 118, "cosmoshub cosmos-hub", "ATOM", cosmos("cosmos")},
	{108, "osmosis", "Osmosis", "cosmos:osmosis-1", 118, "", "OSMO", cosmos("osmo")},
	{109, "axelar", "Axelar", "cosmos:axelar-dojo-1", 118, "axelar-network", "AXL", cosmos("axelar")},
	{110, "fetch-ai", "Fetch.ai", "cosmos:fetchhub-4", 118, "fetchhub fetchai", "FET", cosmos("fetch")},
	{111, "noble", "Noble", "cosmos:noble-1", 118, "", "USDC", cosmos("noble")},
	{112, "celestia", "Celestia", "cosmos:celestia", 118, "", "TIA", cosmos("celestia")},
	{113, "akash", "Akash", "cosmos:akashnet-2", 118, "akash-network", "AKT", cosmos("akash")},
	{114, "terra", "Terra", "cosmos:phoenix-1", 330, "terra2 terra-2 terrav2", "LUNA", cosmos("terra")},
	{115, "terra-classic", "Terra Classic", "cosmos:columbus-5", 330, "", "LUNC USTC", cosmos("terra")},
	{116, "kava", "Kava", "cosmos:kava_2222-10", 459, "", "KAVA", cosmos("kava").eitherKey()},
	{117, "thorchain", "THORChain", "cosmos:thorchain-1", 931, "", "RUNE", cosmos("thor", "tthor", "sthor")},
	{118, "secret", "Secret", "cosmos:secret-4", 529, "secret-network", "SCRT", cosmos("secret")},
	{119, "crypto-org", "Cronos POS Chain", "cosmos:crypto-org-chain-mainnet-1", 394, "cronos-pos cryptoorg crypto-com-chain crypto-org-chain", "CRO", cosmosWith(identity.Hash160, "cro", "crocncl", "tcro")},
	{120, "dydx", "dYdX", "cosmos:dydx-mainnet-1", 118, "", "DYDX", cosmos("dydx")},
	{121, "binance-beacon", "BNB Beacon Chain", "cosmos:Binance-Chain-Tigris", 714, "binancecoin bnb-beacon-chain binance", "BNB", cosmosWith(identity.Hash160, "bnb", "bva", "tbnb")},
	// Sei: a key has an account of each kind; only the chain knows which belong together, for their bytes are different
	// hashes. See "Accounts" in its documentation.
	{122, "sei", "Sei", "cosmos:pacific-1", 118, "sei-network sei-v2", "SEI", all(cosmos("sei"), evm())},
	// The C-Chain of Avalanche is an EVM chain. See utils/formatting/address of AvalancheGo.
	{123, "avalanche-x", "Avalanche X-Chain", "avax:imji8papUf2EhV3le337w1vgFauqkJg-", 9000, "avax-x", "AVAX", codec{enc: bech{lead: "X-"}, size: 20, key: identity.Hash160}.on("avax", "fuji", "local", "custom")},
	{124, "avalanche-p", "Avalanche P-Chain", "avax:Rr9hnPVPxuUvrdCul-vjEsU1zmqKqRDo", 9000, "avax-p", "AVAX", codec{enc: bech{lead: "P-"}, size: 20, key: identity.Hash160}.on("avax", "fuji", "local", "custom")},
	{125, "juno", "Juno", "cosmos:juno-1", 118, "", "JUNO", cosmos("juno")},
	{126, "stargaze", "Stargaze", "cosmos:stargaze-1", 118, "", "STARS", cosmos("stars")},
	{127, "stride", "Stride", "cosmos:stride-1", 118, "", "STRD", cosmos("stride")},
	{128, "kujira", "Kujira", "cosmos:kaiyo-1", 118, "", "KUJI", cosmos("kujira")},
	{129, "neutron", "Neutron", "cosmos:neutron-1", 118, "", "NTRN", cosmos("neutron")},
	{130, "coreum", "Coreum", "cosmos:coreum-mainnet-1", 990, "", "CORE", cosmos("core", "testcore", "devcore")},
	{131, "persistence", "Persistence", "cosmos:core-1", 118, "", "XPRT", cosmos("persistence")},
	{132, "band", "Band", "cosmos:laozi-mainnet", 494, "band-protocol", "BAND", cosmos("band")},
	{133, "maya", "Maya", "cosmos:mayachain-mainnet-v1", 931, "mayachain", "CACAO", cosmos("maya", "tmaya", "smaya")},
	{134, "agoric", "Agoric", "cosmos:agoric-3", 564, "", "BLD", cosmos("agoric")},
	{135, "irisnet", "IRISnet", "cosmos:irishub-1", 118, "iris-network", "IRIS", cosmosWith(identity.Hash160, "iaa", "iva")},
	{136, "regen", "Regen", "cosmos:regen-1", 118, "", "REGEN", cosmos("regen")},
	{137, "sentinel", "Sentinel", "cosmos:sentinelhub-2", 118, "", "DVPN", cosmos("sent")},
	{138, "archway", "Archway", "cosmos:archway-1", 118, "", "ARCH", cosmos("archway")},
	{139, "provenance", "Provenance", "cosmos:pio-mainnet-1", 505, "", "HASH", cosmos("pb", "tp")},
	{140, "babylon", "Babylon Genesis", "cosmos:bbn-1", 118, "babylon-genesis", "BABY", cosmos("bbn")},
	{141, "mantra", "MANTRA", "cosmos:mantra-1", 118, "mantrachain mantra-chain", "OM MANTRA", cosmos("mantra").eitherKey()},
	{142, "initia", "Initia", "cosmos:interwoven-1", 60, "", "INIT", cosmosWith(identity.KeccakHash, "init", "initvaloper")},
	{228, "nillion", "Nillion", "cosmos:nillion-1", 118, "", "NIL", cosmos("nillion")},
	{229, "saga", "Saga", "cosmos:ssc-1", 118, "", "SAGA", cosmos("saga")},
	{230, "xion", "XION", "cosmos:xion-mainnet-1", 118, "", "XION", cosmos("xion")},

	// Substrate chains.
	{143, "polkadot", "Polkadot", "polkadot:91b171bb158e2d3848fa23a9f1c25182", 354, "", "DOT", ss58(0)},
	{144, "kusama", "Kusama", "polkadot:b0a8d493285c2df73290dfb7e61f870f", 434, "", "KSM", ss58(2)},
	{145, "substrate", "Substrate", "", -1, "generic", "", ss58(42)},
	{146, "bittensor", "Bittensor", "", 1005, "", "TAO", ss58(42)},
	{147, "aleph-zero", "Aleph Zero", "", 643, "", "AZERO", ss58(42)},
	{148, "acala", "Acala", "", 787, "", "ACA", ss58(10)},
	{149, "astar", "Astar", "", 810, "", "ASTR", astar()},
	{150, "polymesh", "Polymesh", "", 595, "polymesh-network", "POLYX", ss58(12)},
	{151, "centrifuge", "Centrifuge", "", 747, "", "CFG", ss58(36)},
	{152, "kilt", "KILT", "", 2086, "kilt-protocol", "KILT", ss58(38)},
	{153, "phala", "Phala", "", -1, "", "PHA", ss58(30)},
	{154, "hydration", "Hydration", "", -1, "hydradx", "HDX", ss58(63)},
	{231, "avail", "Avail", "", -1, "", "AVAIL", ss58(42)},
	{232, "enjin", "Enjin", "", -1, "enjin-relay", "ENJ", ss58(2135)},
	{233, "vara", "Vara", "", -1, "vara-network", "VARA", ss58(137)},
	{234, "peaq", "peaq", "", -1, "", "PEAQ", ss58(42)},

	// CryptoNote chains.
	{155, "monero", "Monero", "monero:418015bb9ae982a1975da7d79277c270", 128, "", "XMR", cryptonote("\x12", "\x13", "\x2a", "\x35", "\x36", "\x3f", "\x18", "\x19", "\x24")},
	{156, "oxen", "Oxen", "", 240, "", "OXEN LOKI", cryptonote("\x72", "\x73", "\x74", "\x9c\x01", "\x9d\x01", "\x9e\x01", "\xda\x1e", "\xda\x22", "\xda\x2d")},

	// Zano: addresses of auditable wallets, and payment ids of other lengths than 8, are not read. The test network uses the
	// same addresses. See CURRENCY_PUBLIC_*_PREFIX in src/currency_core/currency_config.h of hyle-team/zano.
	{257, "zano", "Zano", "", -1, "", "ZANO", all(twoKeys("\xc5\x01", 0, 0, "account"), twoKeys("\xf8\x6c", 8, 0, "integrated"))},

	// Other formats in Base58.
	// Tron: the byte 41 and what the same key has on EVM chains. Public test networks use the same addresses, apart from
	// retired ones. See the TRON protocol document, "Account model".
	{157, "tron", "Tron", "tron:0x2b6653dc", 195, "", "TRX USDT", all(hashed("\x41", 0, identity.KeccakHash, ""), codecs{{enc: hexText{lead: "41"}, size: 20, use: tolerated}, {enc: hexText{lead: "0x41"}, size: 20, use: tolerated}}, test(hashed("\xa0", 0, 0, "")))},
	{158, "solana", "Solana", "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp", 501, "solana-mainnet", "SOL", solana()},
	{159, "eclipse", "Eclipse", "", -1, "", "", solana()},
	{250, "fogo", "Fogo", "", -1, "", "FOGO", solana()}, // docs.fogo.io: runs Solana programs, keys and tools without a change
	{160, "xrp", "XRP Ledger", "xrpl:0", 144, "ripple xrp-ledger xrpledger", "XRP", xrp()},
	// Tezos: hashes of keys (tz1 to tz4), smart contracts (KT1) and smart rollups (sr1). No other chain derives the same hash
	// from a key. The test networks use the same addresses. See src/lib_crypto/base58.ml of Octez, module Prefix.
	{161, "tezos", "Tezos", "tezos:NetXdQprcVkpaWU", 1729, "", "XTZ", all(hashed("\x06\xa1\x9f", 0, 0, "account"), hashed("\x06\xa1\xa1", 1, 0, "account"), hashed("\x06\xa1\xa4", 2, 0, "account"), hashed("\x06\xa1\xa6", 3, 0, "account"), hashed("\x02\x5a\x79", 4, 0, "contract"), hashed("\x06\x7c\x75", 5, 0, "account"))},
	// Neo and Ontology derive the same script from a key, Neo N3 another one. The test networks use the same addresses.
	// See "Wallets" in the Neo documentation, and common/address.go of Ontology.
	{162, "neo", "Neo Legacy", "", 888, "neo-legacy", "NEO GAS", hashed("\x17", 0, identity.ScriptHash, "")},
	{163, "neo-n3", "Neo N3", "", 888, "", "N3", hashed("\x35", 0, identity.ScriptHash, "")},
	// Waves: an alias is not an address. See "Cryptographic practical details" in the documentation.
	{164, "waves", "Waves", "waves:087", 5741564, "", "WAVES", all(hashed("\x01W", 0, 0, ""), test(hashed("\x01T", 0, 0, ""), hashed("\x01S", 0, 0, ""))).by(keccakBlake)},
	{165, "ontology", "Ontology", "", 1024, "", "ONT", hashed("\x17", 0, identity.ScriptHash, "")},
	{166, "ergo", "Ergo", "ergo:b0244dfc267baca974a4caee06120321", 429, "", "ERG", ergo()},
	{167, "helium", "Helium", "", 904, "", "HNT", helium()},
	// æternity: the test network uses the same addresses; "ct_" and others are none. See "API encoding" in its documentation.
	{168, "aeternity", "æternity", "", 457, "", "AE", codecs{{enc: base58Check{lead: "ak_"}, size: 32, key: identity.Ed25519}}},
	{169, "fio", "FIO", "", 235, "", "FIO", fio()},
	{252, "concordium", "Concordium", "", 919, "", "CCD", concordium()},
	// Elastos: hashes of scripts for keys of P-256, which no other chain has. The test network uses the same addresses.
	// See core/contract/contract.go and common/uint168.go of Elastos.ELA.
	{254, "elastos", "Elastos", "", 2305, "elastos-main-chain", "", all(hashed("\x21", 0, 0, "account"), hashed("\x12", 1, 0, "multisig"), hashed("\x4b", 2, 0, "cross-chain"), hashed("\x1f", 3, 0, "deposit"), hashed("\x3f", 4, 0, "stake"))},
	{255, "alephium", "Alephium", "", 1234, "", "ALPH", alephium()},
	{170, "mina", "Mina", "mina:mainnet", 12586, "mina-protocol", "MINA", mina()},

	// UTXO chains that most people mean less often than a chain above whose spellings they share.
	{171, "bitcoin-gold", "Bitcoin Gold", "", 156, "bitcoingold", "BTG", all(pkh("\x26"), sh("\x17"), segwit("btg"), test(pkh("\x6f", "\xc4"), segwit("tbtg", "btgrt", "tb")))},
	{172, "neblio", "Neblio", "", 146, "", "NEBL", all(pkh("\x35"), sh("\x70"), test(pkh("\x41", "\x7f")))},

	// Other formats in Bech32 and similar encodings.
	{173, "cardano", "Cardano", "cip34:1-764824073", 1815, "", "ADA", cardano()},
	{174, "zilliqa", "Zilliqa", "", 313, "", "ZIL", zilliqa()},
	{175, "multiversx", "MultiversX", "mvx:1", 508, "elrond elrond-erd-2", "EGLD", multiversx()},
	// Chia: the hash of a puzzle; see "Bech32m addresses" in its documentation.
	{176, "chia", "Chia", "chia:ccd5bb71183532bff220ba46c268991a", 8444, "chia-network", "XCH", codec{enc: bech32mText, size: 32}.on("xch", "txch")},
	{177, "kaspa", "Kaspa", "", 111111, "", "KAS", kaspa()},
	{178, "conflux", "Conflux Core", "conflux:cfx", 503, "conflux-core", "CFX", conflux()},
	// Oasis: a version, and the end of the hash of a key and its context; see "Staking addresses" in its documentation.
	{179, "oasis", "Oasis", "", 474, "oasis-network", "ROSE", codecs{{enc: bech32Text, prefix: "oasis", size: 21}}},
	{180, "nervos", "Nervos", "", 309, "nervos-network", "CKB", nervos()},
	{181, "pactus", "Pactus", "", 21888, "", "PAC", pactus()},
	{182, "radix", "Radix", "", 1022, "radixdlt", "XRD", radix()},
	{183, "namada", "Namada", "", 877, "", "NAM", namada()},
	{184, "penumbra", "Penumbra", "", 6532, "", "UM", penumbra()},
	// Midnight: unshielded addresses; shielded ones have another human-readable part.
	{185, "midnight", "Midnight", "", 2400, "", "NIGHT", codec{enc: bech32mText, size: 32, what: "account"}.on("mn_addr", "mn_addr_preprod", "mn_addr_preview", "mn_addr_devnet", "mn_addr_test", "mn_addr_dev", "mn_addr_undeployed", "mn_addr_qanet")},

	// Other formats in base32, base64 and hex.
	{186, "stellar", "Stellar", "stellar:pubnet", 148, "stellar-lumens", "XLM", stellar()},
	{251, "pi", "Pi Network", "", 314159, "pi-network pinetwork", "PI", stellar()}, // pi-apps/stellar-core, a fork of the node of Stellar
	{187, "ton", "TON", "tvm:-239", 607, "the-open-network toncoin", "TON GRAM", ton()},
	{188, "algorand", "Algorand", "algorand:wGHE2Pwdvd7S12BL5FaOP20EGYesN73k", 283, "", "ALGO", algorand()},
	{189, "filecoin", "Filecoin", "fil:f", 461, "", "FIL", filecoin()},
	{190, "sui", "Sui", "sui:mainnet", 784, "sui-mainnet", "SUI", hex32(true, false)},
	{191, "aptos", "Aptos", "aptos:1", 637, "aptos-mainnet", "APT", hex32(true, true)},
	{192, "starknet", "Starknet", "starknet:SN_MAIN", 9004, "starknet-mainnet", "STRK", starknet()},
	{193, "internet-computer", "Internet Computer", "", 223, "dfinity", "ICP", icp()},
	{194, "nano", "Nano", "", 165, "", "XNO", nano()},
	{195, "stacks", "Stacks", "stacks:1", 5757, "blockstack", "STX", stacks()},
	{196, "flow", "Flow", "flow:mainnet", 539, "", "FLOW", flow()},
	{197, "iota", "IOTA", "iota:mainnet", 4218, "", "IOTA", hex32(false, false)},
	{256, "fuel", "Fuel", "", 1179993420, "fuel-ignition fuel-network", "FUEL", fuel()},
	{198, "movement", "Movement", "", -1, "movement-network", "MOVE", hex32(true, true)},
	// Arweave: the SHA-256 of a key, without a checksum, so text that proves itself an address of another chain is none.
	// See the documentation, "Key format", and HTTP API.
	{199, "arweave", "Arweave", "arweave:7wIU", 472, "", "AR", codecs{{enc: base64Text{}, size: 32, open: true}}},
	// See the ICON documentation, "Account and address".
	{200, "icon", "ICON", "", 74, "icon-network", "ICX", codecs{{enc: hexText{lead: "hx", lower: true}, size: 20, what: "account"}, {enc: hexText{lead: "cx", lower: true}, size: 20, kind: 1, what: "contract"}}},
	{201, "casper", "Casper", "casper:casper", 506, "casper-network", "CSPR", casper()},
	{202, "nem", "NEM", "", 43, "", "XEM", nem()},
	{203, "symbol", "Symbol", "", 4343, "", "XYM", symbol()},
	// Siacoin: the hash of the conditions for spending; see go.sia.tech/core, types.Address.
	{204, "siacoin", "Siacoin", "", 1991, "", "SC", codecs{{enc: hexText{sumLen: 6, sum: blake2b.Sum256}, size: 32}}},
	{205, "nimiq", "Nimiq", "", 242, "", "NIM", nimiq()},

	// Names and numbers.
	{206, "hedera", "Hedera", "hedera:mainnet", 3030, "hedera-hashgraph", "HBAR", hedera()},
	// A public key is no account. See the Antelope documentation, "Accounts and permissions: naming conventions".
	{207, "eos", "EOS", "antelope:aca376f206b8fc25a6ed44dbdc66547c", 194, "vaulta", "EOS A", codecs{{enc: nameText{1, 12, antelopeFault}, what: "name"}}},
	{208, "wax", "WAX", "antelope:1064487b3cd1a897ce03ae5b6a865651", 194, "", "WAXP", codecs{{enc: nameText{1, 12, antelopeFault}, what: "name"}}},
	{209, "near", "NEAR Protocol", "near:mainnet", 397, "near-protocol nearprotocol", "NEAR", near()},
	{253, "canton", "Canton Network", "", -1, "canton-network", "CC", canton()},
	{210, "kadena", "Kadena", "", 626, "", "KDA", kadena()},

	// All EVM chains without a row of their own. The slug does not name a chain.
	{211, otherEVMSlug, "", "", -1, "", "", evm()},
}
