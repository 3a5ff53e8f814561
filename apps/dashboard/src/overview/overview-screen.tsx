import { Page } from '../ui/page.js';

export default function OverviewScreen() {
  return <Page title="Overview">{null}</Page>;
}
