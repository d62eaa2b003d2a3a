package fetch_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha1"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/badlist"
	"github.com/walletscreen/walletscreen/sources/eu"
	"github.com/walletscreen/walletscreen/sources/ofac"
	"github.com/walletscreen/walletscreen/sources/opensanctions"
	"github.com/walletscreen/walletscreen/sources/stablecoin"
	"github.com/walletscreen/walletscreen/sources/uk"
	"golang.org/x/crypto/sha3"
)

// A published is a list in one of its formats, made up for the tests.
type published struct {
	name string
	// source returns a source of the list that uses client.
	source func(client *http.Client) sources.Source
	// files returns the list of n accounts and its related files, by path. It is
	// nil for lists that are not files.
	files func(n int) map[string]string
	// serve replaces files in that case.
	serve func(n int) http.Handler
	// parse reads the file /list. It is nil if one file is not enough.
	parse func(io.Reader, func(sources.Entry) error) (sources.Revision, error)
	// open means that the format has no end mark: a file cut between two lines
	// is accepted.
	open bool
}

const host = "https://list.example"

// account returns the n-th account of each list.
func account(n int) string { return fmt.Sprintf("0x%040x", 0xa11ce0000+int64(n)) }

// each joins the results of f for the numbers below n.
func each(n int, f func(i int) string) string {
	var all strings.Builder
	for i := range n {
		all.WriteString(f(i))
	}
	return all.String()
}

// one returns the files of a list that is one file.
func one(doc func(n int) string) func(n int) map[string]string {
	return func(n int) map[string]string { return map[string]string{"/list": doc(n)} }
}

func advancedXML(list string) func(n int) string {
	return func(n int) string {
		return `<Sanctions><DateOfIssue><Year>2026</Year><Month>9</Month><Day>30</Day></DateOfIssue>
<ReferenceValueSets><FeatureTypeValues><FeatureType ID="345">Digital Currency Address - ETH</FeatureType></FeatureTypeValues>
<ListValues><List ID="1">` + list + `</List></ListValues></ReferenceValueSets><DistinctParties>
` + each(n, func(i int) string {
			return fmt.Sprintf(
				`<DistinctParty><Profile ID="%d"><Feature FeatureTypeID="345"><FeatureVersion>`+
					`<VersionDetail>%s</VersionDetail></FeatureVersion></Feature></Profile></DistinctParty>`+"\n",
				i,
				account(i),
			)
		}) + "</DistinctParties><SanctionsEntries>\n" + each(n, func(i int) string {
			return fmt.Sprintf(
				`<SanctionsEntry ProfileID="%d" ListID="1"><EntryEvent><Date><Year>2026</Year><Month>1</Month><Day>1</Day></Date></EntryEvent></SanctionsEntry>`+"\n",
				i,
			)
		}) + "</SanctionsEntries></Sanctions>\n"
	}
}

func simpleXML(program string) func(n int) string {
	return func(n int) string {
		return fmt.Sprintf("<sdnList><publshInformation><Publish_Date>09/30/2026</Publish_Date><Record_Count>%d</Record_Count></publshInformation>\n", n) +
			each(n, func(i int) string {
				return fmt.Sprintf(
					"<sdnEntry><uid>%d</uid><lastName>X</lastName><programList><program>%s</program></programList>"+
						"<idList><id><idType>Digital Currency Address - ETH</idType><idNumber>%s</idNumber></id></idList></sdnEntry>\n",
					i,
					program,
					account(i),
				)
			}) + "</sdnList>\n"
	}
}

func zipOf(doc func(n int) string) func(n int) string {
	return func(n int) string {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		w, err := z.Create("SDN.XML")
		if err == nil {
			_, err = io.WriteString(w, doc(n))
		}
		if err == nil {
			err = z.Close()
		}
		if err != nil {
			panic(err) // of a buffer in memory
		}
		return b.String()
	}
}

func euXML(n int) string {
	return `<export generationDate="2026-09-22T20:01:34.799+02:00" globalFileId="1">` + "\n" + each(n, func(i int) string {
		return fmt.Sprintf(`<sanctionEntity euReferenceNumber="EU.%d.1" logicalId="%d"><remark>ETH: %s</remark></sanctionEntity>`+"\n", i, i, account(i))
	}) + "</export>\n"
}

func ukXML(n int) string {
	return "<Designations><DateGenerated>21/09/2026</DateGenerated>\n" + each(n, func(i int) string {
		return fmt.Sprintf("<Designation><UniqueID>RUS%d</UniqueID><OtherInformation>ETH: %s</OtherInformation></Designation>\n", i, account(i))
	}) + "</Designations>\n"
}

// jsonOf formats n values as a JSON document.
func jsonOf(of func(all []any) any, value func(i int) any) func(n int) string {
	return func(n int) string {
		var all []any
		for i := range n {
			all = append(all, value(i))
		}
		b, err := json.MarshalIndent(of(all), "", " ")
		if err != nil {
			panic(err) // of maps and strings
		}
		return string(b) + "\n"
	}
}

func array(all []any) any { return all }

func darklistItem(i int) any {
	return map[string]string{"address": account(i), "comment": "x", "date": "2018-11-06"}
}

func targetsCSV(n int) string {
	return "id,schema,name,identifiers,sanctions,first_seen\n" + each(n, func(i int) string {
		return fmt.Sprintf("w%d,CryptoWallet,%s,,,\n", i, account(i))
	})
}

// euFeed returns the list of the EU and the feed that announces it.
func euFeed(n int) map[string]string {
	doc := euXML(n)
	return map[string]string{"/list": doc, euList: doc, "/rss": fmt.Sprintf(`<rss version="2.0"><channel>
<item><link>%s</link><guid>%x</guid><pubDate>Tue, 22 Sep 2026 20:01:34 +0200</pubDate></item>
</channel></rss>`+"\n", host+euList, sha1.Sum([]byte(doc)))}
}

// euList is the path of the list of the EU, beside which its feed is.
const euList = "/files/xmlFullSanctionsList_1_1/content"

// indexed returns a dataset and the index that has its checksum.
func indexed(n int) map[string]string {
	doc := targetsCSV(n)
	return map[string]string{"/list": doc, "/index.json": fmt.Sprintf(`{"name": "il_mod_crypto",
"resources": [{"name": "list", "checksum": "%x"}]}`+"\n", sha1.Sum([]byte(doc)))}
}

// usdtBlock is the first block with a freeze of USDT.
const usdtBlock = 4_634_758

// ethereum serves a node whose chain has a freeze of USDT in each block from usdtBlock on.
func ethereum(n int) http.Handler {
	hash := func(block uint64) string { return fmt.Sprintf("0x%064x", block+0xb10c) }
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params []any           `json:"params"`
		}
		if json.NewDecoder(r.Body).Decode(&req) != nil {
			http.Error(w, "not a call", http.StatusBadRequest)
			return
		}
		number := func(v any) uint64 {
			u, err := strconv.ParseUint(strings.TrimPrefix(fmt.Sprint(v), "0x"), 16, 64)
			if err != nil {
				return usdtBlock + 1000 // "finalized"
			}
			return u
		}
		var result any
		switch req.Method {
		case "eth_chainId":
			result = "0x1"
		case "eth_getBlockByNumber":
			b := number(req.Params[0])
			result = map[string]string{"number": fmt.Sprintf("0x%x", b), "hash": hash(b), "timestamp": fmt.Sprintf("0x%x", 900_000_000+12*b)}
		case "eth_getLogs":
			filter := req.Params[0].(map[string]any)
			logs := []any{}
			for b := max(usdtBlock, number(filter["fromBlock"])); b <= number(filter["toBlock"]) && b < uint64(n)+usdtBlock; b++ {
				logs = append(logs, map[string]any{
					"address": "0xdac17f958d2ee523a2206206994597c13d831ec7", "topics": []string{fmt.Sprintf("0x%x", keccak256("AddedBlackList(address)"))},
					"data":        "0x" + strings.Repeat("0", 24) + account(int(b - usdtBlock))[2:],
					"blockNumber": fmt.Sprintf("0x%x", b), "blockHash": hash(b), "transactionHash": hash(b + 1<<32), "transactionIndex": "0x0",
					"logIndex": "0x0", "removed": false, "blockTimestamp": fmt.Sprintf("0x%x", 900_000_000+12*b),
				})
			}
			result = logs
		}
		json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": req.ID, "result": result})
	})
}

// tronGrid serves n freezes, twenty per page.
func tronGrid(n int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, count := r.URL.Query().Get("event_name"), n
		if name == "RemovedBlackList" {
			count = 0
		}
		from, _ := strconv.Atoi(r.URL.Query().Get("fingerprint"))
		data := []any{}
		for i := from; i < min(from+20, count); i++ {
			data = append(data, map[string]any{
				"block_number": i + 1, "block_timestamp": int64(1_600_000_000_000), "contract_address": "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", "event_name": name,
				"transaction_id": fmt.Sprintf("%064x", i), "result": map[string]string{"_user": account(i)},
			})
		}
		meta := map[string]any{}
		if from+20 < count {
			meta["fingerprint"] = strconv.Itoa(from + 20)
		}
		json.NewEncoder(w).Encode(map[string]any{"data": data, "success": true, "meta": meta})
	})
}

// lists are all formats of all sources that download.
var lists = func() []published {
	ofacSource := func(constructor func(*ofac.Options) sources.Source) func(*http.Client) sources.Source {
		return func(c *http.Client) sources.Source {
			return constructor(&ofac.Options{URL: host + "/list", Client: c})
		}
	}
	euSource := func(c *http.Client) sources.Source {
		return eu.New(&eu.Options{URL: host + "/list", Client: c})
	}
	ukSource := func(c *http.Client) sources.Source {
		return uk.New(&uk.Options{URL: host + "/list", Client: c})
	}
	badlistSource := func(opts badlist.Options) func(*http.Client) sources.Source {
		return func(c *http.Client) sources.Source {
			o := opts
			o.URL, o.Client = host+"/list", c
			return badlist.New(&o)
		}
	}
	dataset := func(c *http.Client) sources.Source {
		return opensanctions.New(&opensanctions.Options{Dataset: "il_mod_crypto", URL: host + "/list", Client: c})
	}
	mew, ransomwhere := badlist.Options{}, *badlist.Ransomwhere()
	sniffer, domains := *badlist.ScamSniffer(), *badlist.ScamSnifferDomains()
	frozen := func(chain address.Chain, endpoint string) func(*http.Client) sources.Source {
		return func(c *http.Client) sources.Source {
			return stablecoin.Frozen("USDT", map[address.Chain]string{chain: endpoint}, &stablecoin.Options{Client: c})
		}
	}
	return []published{
		{name: "OFAC, sdn_advanced.xml", source: ofacSource(ofac.New), files: one(advancedXML("SDN List")), parse: ofac.Parse},
		{name: "OFAC, sdn.xml", source: ofacSource(ofac.New), files: one(simpleXML("DPRK3")), parse: ofac.Parse},
		{name: "OFAC, ZIP", source: ofacSource(ofac.New), files: one(zipOf(simpleXML("DPRK3"))), parse: ofac.Parse},
		{name: "OFAC, ZIP of sdn_advanced.xml", source: ofacSource(ofac.New), files: one(zipOf(advancedXML("SDN List"))), parse: ofac.Parse},
		{
			name:   "OFAC, cons_advanced.xml",
			source: ofacSource(ofac.NewConsolidated),
			files:  one(advancedXML("Consolidated List")),
			parse:  ofac.ParseConsolidated,
		},
		{name: "OFAC, consolidated.xml", source: ofacSource(ofac.NewConsolidated), files: one(simpleXML("NS-PLC")), parse: ofac.ParseConsolidated},
		{name: "EU, XML", source: euSource, files: one(euXML), parse: eu.Parse},
		{name: "UK, XML", source: ukSource, files: one(ukXML), parse: uk.Parse},
		{name: "darklist", source: badlistSource(mew), files: one(jsonOf(array, darklistItem)), parse: badlist.Parse},
		{name: "array of addresses", source: badlistSource(sniffer), files: one(jsonOf(array, func(i int) any { return account(i) })), parse: sniffer.Parse},
		{
			name:   "object of arrays",
			source: badlistSource(domains),
			files:  one(jsonOf(func(all []any) any { return map[string]any{"phish.example": all} }, func(i int) any { return account(i) })),
			parse:  domains.Parse,
		},
		{
			name:   "ransomwhe.re",
			source: badlistSource(ransomwhere),
			files: one(jsonOf(func(all []any) any { return map[string]any{"result": all} }, func(i int) any {
				return map[string]any{"address": account(i), "blockchain": "ethereum", "family": "x", "createdAt": "2021-07-08T00:00:00Z"}
			})),
			parse: ransomwhere.Parse,
		},
		{name: "CSV of addresses", source: badlistSource(mew), files: one(func(n int) string {
			return "address,comment\n" + each(n, func(i int) string { return account(i) + ",x\n" })
		}), parse: badlist.Parse, open: true},
		{name: "text of addresses", source: badlistSource(mew), files: one(func(n int) string {
			return each(n, func(i int) string { return account(i) + " # x\n" })
		}), parse: badlist.Parse, open: true},
		{name: "OpenSanctions", source: dataset, files: one(targetsCSV), parse: opensanctions.Parse, open: true},
		{name: "EU, XML with its feed", source: func(c *http.Client) sources.Source {
			return eu.New(&eu.Options{URL: host + euList, Client: c})
		}, files: euFeed},
		{name: "OpenSanctions with its index", source: func(c *http.Client) sources.Source {
			return opensanctions.New(&opensanctions.Options{Dataset: "il_mod_crypto", URL: host + "/list", Client: c})
		}, files: indexed},
		{name: "USDT on Ethereum", source: frozen("ethereum", host+"/node"), serve: ethereum},
		{name: "USDT on Tron", source: frozen("tron", host), serve: tronGrid},
	}
}()

// keccak256 returns the Keccak-256 hash of s.
func keccak256(s string) []byte {
	h := sha3.NewLegacyKeccak256()
	io.WriteString(h, s)
	return h.Sum(nil)
}
