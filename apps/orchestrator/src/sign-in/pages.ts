/** Paths that a browser requests before it has a session. */
export const SIGN_IN_PATHS = ['/login', '/login.js', '/signed-in'] as const;

export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

export const LOGIN_PAGE = renderPage(
  'Sign in',
  '<p id="status">Confirm that you want to sign in with this browser.</p>\n<button id="confirm" type="button">Sign in</button>\n<noscript>Signing in needs JavaScript.</noscript>',
);

/**
 * The token is behind the #, so it is in no log and in no referrer. The link is used only when the person confirms, because previews of
 * messages open links as well.
 */
export const LOGIN_SCRIPT = `const status = document.getElementById('status');
const button = document.getElementById('confirm');
const send = (path, body) =>
  fetch(path, { method: 'POST', headers: { 'content-type': 'application/json', 'x-phaseline-client': 'page' }, body: JSON.stringify(body) });
if (location.pathname === '/login') {
  const token = location.hash.slice(1);
  history.replaceState(null, '', '/login');
  button.addEventListener('click', async () => {
    button.disabled = true;
    const response = await send('/login', { token });
    if (response.ok) location.replace('/signed-in');
    else status.textContent = 'This link was used already, or has expired. Run phaseline login for a new one.';
  });
} else {
  button.addEventListener('click', async () => {
    await send('/logout', {});
    status.textContent = 'Signed out.';
    button.remove();
  });
}
`;

export function renderSignedInPage(name: string): string {
  return renderPage(
    'Signed in',
    `<p id="status">Signed in as ${escapeHtml(name)}</p>\n<button id="confirm" type="button">Sign out</button>`,
  );
}

export const SIGNED_OUT_PAGE = renderPage('Signed out', '<p>Not signed in. Run phaseline login for a link.</p>');

function renderPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Phaseline</title>
</head>
<body>
<main>
<h1>Phaseline</h1>
${body}
</main>
<script src="/login.js"></script>
</body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
