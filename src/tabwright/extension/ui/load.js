/**
 * The page that `tabwright install` opens from the folder itself, before any browser has the extension: nothing of
 * chrome.* is there, nor are modules, which browsers do not load from files.
 */
(() => {
  const folder = decodeURIComponent(new URL('..', location.href).pathname).replace(/\/$/, '');
  const shown = document.getElementById('folder');
  if (shown && location.protocol === 'file:') shown.textContent = folder;
  for (const command of document.querySelectorAll('.command')) {
    const button = command.querySelector('button');
    button?.addEventListener('click', async () => {
      await navigator.clipboard.writeText(command.querySelector('code')?.textContent ?? '');
      button.textContent = 'Copied';
      setTimeout(() => { button.textContent = 'Copy'; }, 1_500);
    });
  }
})();
