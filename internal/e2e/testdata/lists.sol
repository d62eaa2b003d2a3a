// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

// Two contracts that list accounts, each with the events of a real one, and
// without the rest. Anybody may change them: they are for tests.

// The events of USDT: the account is not indexed.
contract DataList {
    event AddedBlackList(address user);
    event RemovedBlackList(address user);
    event DestroyedBlackFunds(address user, uint256 balance);

    mapping(address => bool) public listed;

    function add(address user) external {
        listed[user] = true;
        emit AddedBlackList(user);
    }

    function remove(address user) external {
        listed[user] = false;
        emit RemovedBlackList(user);
    }

    function destroy(address user) external {
        require(listed[user]);
        emit DestroyedBlackFunds(user, 1);
    }
}

// The events of USDC: the account is indexed.
contract IndexedList {
    event Blacklisted(address indexed account);
    event UnBlacklisted(address indexed account);

    mapping(address => bool) public listed;

    function add(address account) external {
        listed[account] = true;
        emit Blacklisted(account);
    }

    function remove(address account) external {
        listed[account] = false;
        emit UnBlacklisted(account);
    }
}
