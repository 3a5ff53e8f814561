/** Paths that a browser requests before it has a session. */
export const SIGN_IN_PATHS = ['/login', '/login.js', '/signed-in', '/login/openid', '/login/openid/callback'] as const;

/** Link to the sign-in through the OpenID provider, where there is one. */
const OPEN_ID_LINK = '<p><a href="/login/openid">Sign in with OpenID Connect</a></p>';

export function renderLoginPage(hasOpenId: boolean): string {
  return renderPage(
    'Sign in',
    `<p id="status">Confirm that you want to sign in with this browser.</p>\n<button id="confirm" type="button">Sign in</button>\n<noscript>Signing in with a link needs JavaScript.</noscript>${hasOpenId ? `\n${OPEN_ID_LINK}` : ''}`,
  );
}

/**
 * The token is behind the #, so it is in no log and in no referrer. The link is used only when the person confirms, because previews of
 * messages open links as well.
 */
export const LOGIN_SCRIPT = `const status = document.getElementById('status');
const button = document.getElementById('confirm');
const send = (path, body) =>
  fetch(path, { method: 'POST', headers: { 'content-type': 'application/json', 'x-phaseline-client': 'page' }, body: JSON.stringify(body) });
if (!button) {
  // A page that only informs.
} else if (location.pathname === '/login') {
  const token = location.hash.slice(1);
  history.replaceState(null, '', '/login');
  if (token === '') {
    status.textContent = 'To sign in with a link, run phaseline login.';
    button.remove();
  }
  button.addEventListener('click', async () => {
    button.disabled = true;
    const response = await send('/login', { token });
    if (response.ok) location.replace('/');
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
    `<p id="status">Signed in as ${escapeHtml(name)}</p>\n<p><a href="/">Open the dashboard</a></p>\n<button id="confirm" type="button">Sign out</button>`,
  );
}

export function renderSignedOutPage(hasOpenId: boolean): string {
  return renderPage(
    'Signed out',
    `<p>Not signed in. Run phaseline login for a link.</p>${hasOpenId ? `\n${OPEN_ID_LINK}` : ''}`,
  );
}

/**
 * Page after a sign-in at a provider. It leads on to the dashboard itself: browsers do not send the cookie of the session with a redirect that
 * another site began.
 */
export function renderContinuePage(name: string): string {
  return renderPage(
    'Signed in',
    `<p>Signed in as ${escapeHtml(name)}</p>\n<p><a href="/">Continue</a></p>`,
    '<meta http-equiv="refresh" content="0; url=/">\n',
  );
}

export function renderFailurePage(message: string): string {
  return renderPage(
    'Not signed in',
    `<p>${escapeHtml(message)}</p>\n<p><a href="/login/openid">Sign in with OpenID Connect</a></p>`,
  );
}

function renderPage(title: string, body: string, head = ''): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Phaseline</title>
${head}</head>
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
