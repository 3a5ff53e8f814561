import { Page } from '../ui/page.js';

export default function SubmitScreen() {
  return <Page title="Submit">{null}</Page>;
}
