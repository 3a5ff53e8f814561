import { useWhoAmI } from '../api/use-rights.js';

/** Who the caller is, and the way out of the session. */
export function SignedInAs() {
  const { data } = useWhoAmI();
  if (!data) return null;
  const isSession = data.authentication.method === 'session';
  return (
    <p>
      <span className="muted">Signed in as </span>
      {data.id}
      {isSession ? (
        <>
          {' · '}
          <a href="/signed-in">Sign out</a>
        </>
      ) : null}
      {' · '}
      <a href="/docs">API</a>
    </p>
  );
}
