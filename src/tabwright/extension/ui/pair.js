chrome.runtime.connect({name:'pair'})
