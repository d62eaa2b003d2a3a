# A client of Chainalysis's free sanctions API, as its public reference describes it.
import os
import sys

import requests

BASE_URL = os.environ.get("CHAINALYSIS_API_URL", "https://public.chainalysis.com")


def is_sanctioned(address):
    response = requests.get(
        f"{BASE_URL}/api/v1/address/{address}",
        headers={"X-API-Key": os.environ["CHAINALYSIS_API_KEY"], "Accept": "application/json"},
        timeout=10,
    )
    response.raise_for_status()
    return len(response.json()["identifications"]) > 0


for address in sys.argv[1:]:
    try:
        print(is_sanctioned(address))
    except requests.HTTPError as error:
        print("error", error.response.status_code)
