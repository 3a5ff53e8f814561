import { Link } from 'wouter';
import { Page } from '../ui/page.js';

export function NotFoundScreen() {
  return (
    <Page title="Page not found">
      <p>
        There is no page at {location.pathname}. Go to the <Link href="/">overview</Link>.
      </p>
    </Page>
  );
}
