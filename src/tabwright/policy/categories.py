"""Kinds of sites where one may want to be asked: off until `policy.toml` switches them on.

The lists name what is widely used and no more; whoever needs another site writes a rule for it.
"""

from functools import lru_cache
from typing import Final

from tabwright.policy.sites import is_private, plain_host
from tabwright.policy.urls import KEPT, Address

PRIVATE: Final = "private"
"""Machines of the local network: told by the address, not by a list."""

_LISTS: Final = {
    "banking": """
        paypal.com wise.com revolut.com stripe.com venmo.com cash.app klarna.com chase.com bankofamerica.com
        wellsfargo.com citi.com capitalone.com usbank.com pnc.com americanexpress.com schwab.com fidelity.com
        vanguard.com etrade.com robinhood.com hsbc.com hsbc.co.uk barclays.co.uk lloydsbank.co.uk natwest.com
        santander.com santander.co.uk monzo.com starlingbank.com deutsche-bank.de commerzbank.de ing.de ing.com n26.com
        sparkasse.de dkb.de comdirect.de postbank.de bnpparibas.com credit-agricole.fr societegenerale.fr bbva.com
        caixabank.es unicreditgroup.eu intesasanpaolo.com ubs.com rbc.com td.com scotiabank.com commbank.com.au
        westpac.com.au anz.com.au nab.com.au icicibank.com hdfcbank.com onlinesbi.sbi itau.com.br nubank.com.br
    """,
    "crypto": """
        coinbase.com binance.com kraken.com crypto.com gemini.com bitstamp.net bitfinex.com kucoin.com okx.com bybit.com
        blockchain.com uniswap.org metamask.io opensea.io
    """,
    "mail": """
        mail.google.com outlook.com outlook.live.com outlook.office.com outlook.office365.com mail.yahoo.com
        mail.proton.me fastmail.com app.fastmail.com mail.zoho.com mail.aol.com icloud.com gmx.net gmx.de gmx.com web.de
        mail.ru mail.yandex.ru mail.yandex.com app.tuta.com hey.com
    """,
    "admin": """
        console.aws.amazon.com console.cloud.google.com admin.google.com portal.azure.com entra.microsoft.com
        admin.microsoft.com dash.cloudflare.com cloud.digitalocean.com console.hetzner.cloud cloud.oracle.com
        cloud.ibm.com dashboard.heroku.com app.netlify.com vercel.com fly.io app.terraform.io cloud.mongodb.com
        app.supabase.com console.firebase.google.com appstoreconnect.apple.com login.tailscale.com
        dash.teams.cloudflare.com okta.com auth0.com
    """,
}
HOSTS: Final = {name: frozenset(hosts.split()) for name, hosts in _LISTS.items()}
NAMES: Final = (*HOSTS, PRIVATE)


def categories_of(site: Address) -> tuple[str, ...]:
    """Every category a site falls under."""
    listed = _listed(plain_host(site))
    return (*listed, PRIVATE) if is_private(site) else listed


@lru_cache(KEPT)
def _listed(host: str) -> tuple[str, ...]:
    above = {host, *(host[place + 1 :] for place, char in enumerate(host) if char == ".")}
    return tuple(name for name, hosts in HOSTS.items() if hosts & above)
