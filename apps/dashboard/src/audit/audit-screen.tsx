import { Page } from '../ui/page.js';

export default function AuditScreen() {
  return <Page title="Audit">{null}</Page>;
}
