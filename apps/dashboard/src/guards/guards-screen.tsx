import { Page } from '../ui/page.js';

export default function GuardsScreen() {
  return <Page title="Guards">{null}</Page>;
}
