import type { LearningReportRecord } from '@phaseline/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { client } from '../api/client.js';
import { useRights } from '../api/use-rights.js';
import { computeSince } from '../ui/ages.js';
import { Badge } from '../ui/badge.js';
import { Card } from '../ui/card.js';
import { Command } from '../ui/code.js';
import { DataTable, type Column } from '../ui/data-table.js';
import { formatCount, pluralise } from '../ui/format.js';
import { Empty } from '../ui/notice.js';
import { QueryView } from '../ui/query-view.js';
import { AgentAndAge } from './agent-and-age.js';
import { describeAntiPatterns, describeMetrics, type Measure } from './describe-report.js';
import { useFilters } from './use-filters.js';

/** Lines of instructions above which an agent is said to have too many: what a model follows without losing parts of it. */
const MAX_LINES = 100;

/** Five anti-patterns of learning and five measures of success. */
export function ReportTab() {
  const [{ agent, age }, change] = useFilters(['agent', 'age']);
  const report = useQuery({
    queryKey: ['learning', 'report', agent, age],
    queryFn: ({ signal }) => {
      const since = computeSince(age, Date.now());
      return client.learning.report(
        { ...(agent === '' ? {} : { agent }), ...(since === undefined ? {} : { since }) },
        { signal },
      );
    },
  });
  return (
    <>
      <AgentAndAge agent={agent} age={age} onChange={change} />
      <QueryView query={report}>{(data) => <Report report={data} />}</QueryView>
    </>
  );
}

function Report({ report }: { readonly report: LearningReportRecord }) {
  const { jobs, hasMore, metrics } = report;
  return (
    <>
      <p className="muted">
        {jobs === 0
          ? 'No job matches. Choose another agent or a longer time; forks and encrypted jobs are not counted.'
          : `Counted from ${pluralise(jobs, 'job')}${hasMore ? ', the newest that match' : ''}. Forks and encrypted jobs are not counted.`}
        {hasMore ? (
          <>
            {' '}
            For more: <Command text="phaseline learning report --limit 1000" />
          </>
        ) : null}
      </p>
      <Card title="Anti-patterns" className="learning-measures">
        <DataTable
          label="Anti-patterns"
          columns={columns}
          rows={describeAntiPatterns(report)}
          rowKey={({ name }) => name}
        />
      </Card>
      <Card title="Measures of success" className="learning-measures">
        <DataTable
          label="Measures of success"
          columns={columns}
          rows={describeMetrics(report)}
          rowKey={({ name }) => name}
        />
      </Card>
      <Card title={`Size of instructions: at most ${MAX_LINES} lines`}>
        {metrics.promptSize.length === 0 ? (
          <Empty>No agent is installed, or none with this name.</Empty>
        ) : (
          <DataTable
            label="Size of instructions"
            columns={sizeColumns}
            rows={metrics.promptSize.toSorted((one, other) => other.lines - one.lines)}
            rowKey={({ agent }) => agent}
          />
        )}
      </Card>
    </>
  );
}

const columns: readonly Column<Measure>[] = [
  {
    key: 'name',
    title: 'Measure',
    render: ({ name, counts }) => (
      <>
        <strong>{name}</strong>
        <p className="muted">{counts}</p>
      </>
    ),
  },
  {
    key: 'figure',
    title: 'Figure',
    render: ({ figure, basis }) => (
      <>
        <strong className="nowrap">{figure}</strong>
        <p className="muted">{basis}</p>
      </>
    ),
  },
  {
    key: 'target',
    title: 'Target',
    render: ({ target, isMet }) => (
      <span className="row">
        <span className="nowrap">{target}</span>
        <Target isMet={isMet} />
      </span>
    ),
  },
];

function Target({ isMet }: Pick<Measure, 'isMet'> | { readonly isMet: undefined }) {
  if (isMet === undefined) return null;
  return isMet ? (
    <Badge tone="ok" glyph="✓">
      met
    </Badge>
  ) : (
    <Badge tone="warn" glyph="!">
      missed
    </Badge>
  );
}

type PromptSize = LearningReportRecord['metrics']['promptSize'][number];

const sizeColumns: readonly Column<PromptSize>[] = [
  { key: 'agent', title: 'Agent', render: ({ agent }) => <AgentLink agent={agent} /> },
  { key: 'lines', title: 'Lines', isNumber: true, render: ({ lines }) => formatCount(lines) },
  { key: 'tokens', title: 'Tokens', isNumber: true, render: ({ tokens }) => formatCount(tokens) },
  { key: 'target', title: 'Target', render: ({ lines }) => <Target isMet={lines <= MAX_LINES} /> },
];

function AgentLink({ agent }: { readonly agent: string }) {
  const can = useRights();
  return can('agents:read') ? <Link href={`/agents/${encodeURIComponent(agent)}`}>{agent}</Link> : agent;
}
