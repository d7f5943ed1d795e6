"""Our tools, one file each. The order here is the order of every list."""

from typing import Final

from tabwright.tools import (
    call_page_tool,
    close_tab,
    connect_browser,
    focus_tab,
    list_connected_browsers,
    list_tabs,
    open_tab,
    page_tools,
    select_browser,
)
from tabwright.tools.tool import AnyTool

TOOLS: Final[tuple[AnyTool, ...]] = (
    connect_browser.TOOL,
    list_tabs.TOOL,
    open_tab.TOOL,
    focus_tab.TOOL,
    close_tab.TOOL,
    page_tools.TOOL,
    call_page_tool.TOOL,
    list_connected_browsers.TOOL,
    select_browser.TOOL,
)
