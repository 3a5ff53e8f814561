import {
  formatInterval,
  formatOverConfidence,
  formatShare,
  listCalibrationLines,
  type CalibrationGroup,
  type CalibrationLine,
  type CalibrationReport,
} from '@phaseline/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { client } from '../api/client.js';
import { useRights } from '../api/use-rights.js';
import { LinkButton } from '../ui/button.js';
import { Card } from '../ui/card.js';
import { DataTable, type Column } from '../ui/data-table.js';
import { formatCount } from '../ui/format.js';
import { Empty } from '../ui/notice.js';
import { Page } from '../ui/page.js';
import { QueryView } from '../ui/query-view.js';
import './plans.css';

/** The confidence of drafts of plans against what became of them. */
export default function CalibrationScreen() {
  const report = useQuery({
    queryKey: ['jobs', 'calibration'],
    queryFn: ({ signal }) => client.calibration({}, { signal }),
  });
  return (
    <Page title="How sure, and how right" actions={<LinkButton to="/plans">All plans</LinkButton>}>
      <QueryView query={report}>{({ items }) => <Report items={items} />}</QueryView>
    </Page>
  );
}

function Report({ items }: Pick<CalibrationReport, 'items'>) {
  const can = useRights();
  if (items.length === 0)
    return (
      <Empty>
        No draft of a plan was approved, changed or found invalid yet.{' '}
        {can('jobs:submit') ? <Link href="/plans/new">Start a plan</Link> : 'Follow a plan'}, and approve its schedule
        or say what is to be different.
      </Empty>
    );
  return (
    <>
      <p className="muted">
        Held is the share of drafts that were approved as they were; aborted ones do not count. A positive
        over-confidence means that the planner is too sure of itself. The interval contains the true value with a
        probability of 95 %.
      </p>
      {items.map((group) => (
        <Group key={JSON.stringify([group.agent, group.model])} group={group} />
      ))}
    </>
  );
}

function Group({ group }: { readonly group: CalibrationGroup }) {
  const title = `Agent ${group.agent}, ${group.model === null ? 'model not known' : `model ${group.model}`}`;
  return (
    <Card title={<span className="wrap-anywhere">{title}</span>} className="plan-calibration">
      <DataTable
        label={`Calibration: ${title}`}
        columns={columns}
        rows={listCalibrationLines(group)}
        rowKey={({ band }) => band}
      />
    </Card>
  );
}

const columns: readonly Column<CalibrationLine>[] = [
  {
    key: 'band',
    title: 'Confidence',
    render: ({ band }) => (band === 'all' ? <strong>all</strong> : <span className="nowrap">{band}</span>),
  },
  ...(['approved', 'changed', 'invalid', 'aborted'] as const).map((outcome): Column<CalibrationLine> => ({
    ...{ key: outcome, title: toTitle(outcome), isNumber: true, isSecondary: true },
    render: ({ counts }) => formatCount(counts[outcome]),
  })),
  {
    key: 'drafts',
    title: 'Drafts',
    isNumber: true,
    render: ({ counts: { approved, changed, invalid } }) => formatCount(approved + changed + invalid),
  },
  { key: 'mean', title: 'Mean', isNumber: true, render: ({ meanConfidence }) => formatShare(meanConfidence) },
  { key: 'held', title: 'Held', isNumber: true, render: ({ shareApproved }) => formatShare(shareApproved) },
  {
    key: 'over',
    title: 'Over-confidence',
    isNumber: true,
    render: (line) => (
      <>
        {formatOverConfidence(line)} <span className="nowrap">{formatInterval(line)}</span>
      </>
    ),
  },
];

function toTitle(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}
