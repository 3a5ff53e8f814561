import type { ComponentType } from 'react';
import { useParams } from 'wouter';
import { useRights } from '../api/use-rights.js';
import { Notice } from '../ui/notice.js';
import { Page } from '../ui/page.js';
import { LinkTabs } from '../ui/tabs.js';
import { ExperimentsTab } from './experiments-tab.js';
import { GuardsTab } from './guards-tab.js';
import { PatternsTab } from './patterns-tab.js';
import { ReportTab } from './report-tab.js';
import { TRACES_PATH } from './traces-path.js';
import { TracesTab } from './traces-tab.js';
import './learning.css';

interface LearningTab {
  readonly to: string;
  readonly title: string;
  readonly component: ComponentType;
  /** The right that it needs besides `jobs:read`, which the screen needs. */
  readonly right?: string;
}

const tabs: readonly LearningTab[] = [
  { to: '/learning', title: 'Report', component: ReportTab },
  { to: '/learning/patterns', title: 'Patterns', component: PatternsTab },
  { to: TRACES_PATH, title: 'Learning traces', component: TracesTab },
  { to: '/learning/guards', title: 'Guards', component: GuardsTab, right: 'guards:read' },
  { to: '/learning/experiments', title: 'Experiments', component: ExperimentsTab },
];

/** What agents did wrong, what was learned from it, and whether that helps. */
export default function LearningScreen() {
  const { tab } = useParams<{ tab?: string }>();
  const can = useRights();
  const to = tab === undefined ? '/learning' : `/learning/${tab}`;
  const offered = tabs.filter(({ right }) => right === undefined || can(right));
  const current = offered.find((one) => one.to === to);
  return (
    <Page title="Learning" fill={to === TRACES_PATH}>
      <LinkTabs label="Learning" tabs={offered} current={to} />
      {current ? <current.component /> : <NotOffered tab={tabs.find((one) => one.to === to)} />}
    </Page>
  );
}

function NotOffered({ tab }: { readonly tab: LearningTab | undefined }) {
  return (
    <Notice tone="warn">
      {tab?.right === undefined
        ? 'There is no such page. Choose one of the tabs.'
        : `You lack the right ${tab.right}. A role that contains it has to be granted to you.`}
    </Notice>
  );
}
