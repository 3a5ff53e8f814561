import type { AgentDetail } from '@phaseline/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { client } from '../api/client.js';
import { useRights } from '../api/use-rights.js';
import { Badge } from '../ui/badge.js';
import { Button, LinkButton } from '../ui/button.js';
import { Card } from '../ui/card.js';
import { Code, Json } from '../ui/code.js';
import { KeyValues } from '../ui/key-values.js';
import { Notice } from '../ui/notice.js';
import { Page } from '../ui/page.js';
import { QueryView } from '../ui/query-view.js';
import { AgentLimits } from './agent-limits.js';
import { AgentTools } from './agent-tools.js';
import { ProblemList } from './problems.js';
import { ValidateDialog } from './validate-dialog.js';

/** One agent as new jobs get it. */
export function AgentPage({ name }: { readonly name: string }) {
  const can = useRights();
  const [isValidating, setValidating] = useState(false);
  const query = useQuery({
    queryKey: ['agents', name],
    queryFn: ({ signal }) => client.agent(name, { signal }),
    refetchInterval: 30_000,
  });
  const agent = query.data;
  return (
    <Page
      title={agent?.displayName ?? name}
      badges={
        agent?.isOutdated === true ? (
          <Badge tone="warn" glyph="!">
            older version
          </Badge>
        ) : null
      }
      actions={
        <>
          <LinkButton to="/agents">All agents</LinkButton>
          <Button onClick={() => setValidating(true)}>Check a definition…</Button>
          {agent && can('jobs:submit') ? (
            <LinkButton variant="primary" to={`/submit?agent=${encodeURIComponent(name)}`}>
              Submit a job
            </LinkButton>
          ) : null}
        </>
      }
    >
      <QueryView query={query}>{(data) => <Definition agent={data} />}</QueryView>
      {isValidating ? <ValidateDialog onClose={() => setValidating(false)} /> : null}
    </Page>
  );
}

function Definition({ agent }: { readonly agent: AgentDetail }) {
  const { problems, warnings, guards, instructions, definition } = agent;
  return (
    <>
      {problems.length > 0 ? (
        <Notice tone="bad">
          <div className="stack-small grow">
            <p>
              The files of this agent have changed and are invalid. New jobs get the last valid version, which is shown
              here.
            </p>
            <ProblemList problems={problems} />
          </div>
        </Notice>
      ) : null}
      {warnings.length > 0 ? (
        <Notice tone="warn">
          <div className="stack-small grow">
            <p>Valid, but probably not intended:</p>
            <ProblemList problems={warnings} />
          </div>
        </Notice>
      ) : null}
      <div className="agent-grid">
        <Facts agent={agent} />
        <AgentTools agent={agent} />
        <AgentLimits agent={agent} />
        {guards.length > 0 ? (
          <Card title="Guards of the agent">
            <KeyValues
              items={guards.map(({ name, kind, stage, owner }) => [name, `${kind}, ${stage}, owner ${owner}`])}
            />
          </Card>
        ) : null}
      </div>
      <Card title="Instructions">
        <Code label="Instructions" text={instructions} maxHeight={420} />
      </Card>
      <Card title="Definition with all defaults">
        <Json label="Definition" value={definition} maxHeight={420} />
      </Card>
    </>
  );
}

function Facts({ agent }: { readonly agent: AgentDetail }) {
  const { name, description, workflow, deliverables, models, extends: parents, file, hash, startWhen } = agent;
  return (
    <Card title="Agent">
      <div className="stack-small">
        {description === '' ? null : <p className="wrap-anywhere">{description}</p>}
        <KeyValues
          items={[
            ['Name', <code key="name">{name}</code>],
            ['Workflow', workflow],
            [
              'Models',
              models.strategic === models.tactical ? models.strategic : `${models.strategic}, ${models.tactical}`,
            ],
            ['Delivers', deliverables.join(', ')],
            ['Extends', parents.join(', ')],
            [
              'Starts by itself',
              startWhen && `for up to ${startWhen.batch} open requirements, ${startWhen.perTenant} jobs per tenant`,
            ],
            ['File', <code key="file">{file}</code>],
            ['Hash', <code key="hash">{hash}</code>],
            [
              'Jobs',
              <Link key="jobs" href={`/jobs?agent=${encodeURIComponent(name)}`}>
                Jobs of the agent
              </Link>,
            ],
          ]}
        />
      </div>
    </Card>
  );
}
