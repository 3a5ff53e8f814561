import { Command } from '../ui/code.js';
import { Page } from '../ui/page.js';

/** What a browser without a session sees. */
export function SignInScreen() {
  return (
    <main id="main">
      <Page title="Sign in">
        <p>This server needs to know who you are. Create a link on the machine where you use the command line:</p>
        <p>
          <Command text="phaseline login" />
        </p>
        <p>
          Open the link in this browser. Where the server has an OpenID provider, you can also{' '}
          <a href="/login">sign in there</a>.
        </p>
      </Page>
    </main>
  );
}
