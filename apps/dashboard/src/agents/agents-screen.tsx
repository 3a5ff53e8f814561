import { Page } from '../ui/page.js';

export default function AgentsScreen() {
  return <Page title="Agents">{null}</Page>;
}
