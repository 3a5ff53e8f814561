import type { ComponentType } from 'react';
import { useParams } from 'wouter';
import { useRights } from '../api/use-rights.js';
import { Notice } from '../ui/notice.js';
import { Page } from '../ui/page.js';
import { LinkTabs } from '../ui/tabs.js';
import { AboutTab } from './about-tab.js';
import { AccountTab } from './account-tab.js';
import { KeysTab } from './keys-tab.js';
import { PrincipalsTab } from './principals-tab.js';
import { RetentionTab } from './retention-tab.js';
import { SecretsTab } from './secrets-tab.js';
import { TenantsTab } from './tenants-tab.js';

interface SettingsTab {
  readonly to: string;
  readonly title: string;
  readonly component: ComponentType;
  /** Any of these rights shows the tab; without them everyone sees it. */
  readonly rights?: readonly string[];
}

const tabs: readonly SettingsTab[] = [
  { to: '/settings', title: 'Account', component: AccountTab },
  { to: '/settings/principals', title: 'Principals', component: PrincipalsTab, rights: ['principals:read'] },
  { to: '/settings/keys', title: 'Keys', component: KeysTab, rights: ['principals:read'] },
  { to: '/settings/tenants', title: 'Tenants', component: TenantsTab, rights: ['tenants:read'] },
  { to: '/settings/secrets', title: 'Secrets', component: SecretsTab, rights: ['secrets:use', 'secrets:manage'] },
  {
    to: '/settings/retention',
    title: 'Retention and holds',
    component: RetentionTab,
    rights: ['retention:manage', 'holds:manage'],
  },
  { to: '/settings/about', title: 'About', component: AboutTab },
];

/** Who may do what, the limits of tenants, and what is stored for how long. */
export default function SettingsScreen() {
  const { tab } = useParams<{ tab?: string }>();
  const can = useRights();
  const to = tab === undefined ? '/settings' : `/settings/${tab}`;
  const offered = tabs.filter(({ rights }) => rights === undefined || rights.some((right) => can(right)));
  const current = offered.find((one) => one.to === to);
  return (
    <Page title="Settings">
      <LinkTabs label="Settings" tabs={offered} current={to} />
      {current ? <current.component /> : <NotOffered tab={tabs.find((one) => one.to === to)} />}
    </Page>
  );
}

function NotOffered({ tab }: { readonly tab: SettingsTab | undefined }) {
  return (
    <Notice tone="warn">
      {tab?.rights === undefined
        ? 'There are no such settings.'
        : `You lack the right ${tab.rights.join(' or ')}. A role that contains it has to be granted to you.`}
    </Notice>
  );
}
