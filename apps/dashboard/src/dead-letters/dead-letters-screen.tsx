import { Page } from '../ui/page.js';

export default function DeadLettersScreen() {
  return <Page title="Dead letters">{null}</Page>;
}
