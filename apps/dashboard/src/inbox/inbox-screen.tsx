import { Page } from '../ui/page.js';

export default function InboxScreen() {
  return <Page title="Inbox">{null}</Page>;
}
