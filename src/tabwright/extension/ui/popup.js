chrome.runtime.connect({name:'popup'})
