import { Page } from '../ui/page.js';

export default function JobsScreen() {
  return <Page title="Jobs">{null}</Page>;
}
