import { Page } from '../ui/page.js';

export default function CompareScreen() {
  return <Page title="Compare">{null}</Page>;
}
