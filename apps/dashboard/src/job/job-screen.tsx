import { Page } from '../ui/page.js';

export default function JobScreen() {
  return <Page title="Job">{null}</Page>;
}
