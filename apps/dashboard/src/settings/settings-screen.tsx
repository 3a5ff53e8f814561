import { Page } from '../ui/page.js';

export default function SettingsScreen() {
  return <Page title="Settings">{null}</Page>;
}
