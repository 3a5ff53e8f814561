import type { GuardRecord } from '@phaseline/client';
import { useState } from 'react';
import { Link } from 'wouter';
import { useRights } from '../api/use-rights.js';
import { Button } from '../ui/button.js';
import { Card } from '../ui/card.js';
import { DataTable } from '../ui/data-table.js';
import { formatCount } from '../ui/format.js';
import { KeyValues } from '../ui/key-values.js';
import { Page } from '../ui/page.js';
import { QueryView } from '../ui/query-view.js';
import { DateTime } from '../ui/time.js';
import { Stage } from './guard-list.js';
import { GuardVersions } from './guard-versions.js';
import { OverrideDialog } from './override-dialog.js';
import { RollBackDialog } from './stage-dialogs.js';
import { useGuard, type GuardPlace } from './use-guards.js';

/** One guard: what its versions decide, how often, and who changed their stages. */
export function GuardPage({ name, place }: { readonly name: string; readonly place: GuardPlace }) {
  const guard = useGuard(name, place);
  const [open, setOpen] = useState<'roll-back' | 'override'>();
  const can = useRights();
  const { data } = guard;
  const mayOverride = can(place.scope === 'system' ? 'guards:override-system' : 'guards:override', place.tenant);
  return (
    <Page
      title={name}
      badges={data === undefined ? null : <Stage guard={data} />}
      actions={
        data === undefined ? null : (
          <>
            {mayOverride ? <Button onClick={() => setOpen('override')}>Override in a job</Button> : null}
            {data.source === 'stored' && data.production && can('guards:rollback', place.tenant) ? (
              <Button variant="danger" onClick={() => setOpen('roll-back')}>
                Roll back
              </Button>
            ) : null}
          </>
        )
      }
    >
      <p>
        <Link href="/guards">All guards</Link>
      </p>
      <QueryView query={guard}>{(record) => <GuardContent guard={record} place={place} />}</QueryView>
      {open === 'roll-back' && data ? (
        <RollBackDialog name={name} place={place} onClose={() => setOpen(undefined)} />
      ) : null}
      {open === 'override' ? <OverrideDialog name={name} place={place} onClose={() => setOpen(undefined)} /> : null}
    </Page>
  );
}

function GuardContent({ guard, place }: { readonly guard: GuardRecord; readonly place: GuardPlace }) {
  const { source, kind, owner, tenant, newest } = guard;
  return (
    <>
      <Card title="Guard">
        <KeyValues
          items={[
            ['Of', tenant === undefined ? 'the installation' : `tenant ${tenant}`],
            ['Kind', kind],
            ['Owner', owner],
            [
              'Source',
              source === 'file' ? 'a file of the installation; it changes with the file' : 'stored in the log',
            ],
            ['Newest version', <code key="version">{newest.version}</code>],
          ]}
        />
      </Card>
      <Decisions guard={guard} />
      {source === 'stored' ? <GuardVersions guard={guard} place={place} /> : null}
      {guard.changes.length === 0 ? null : <Changes guard={guard} />}
    </>
  );
}

/** How often the guard decided, by version and outcome. */
function Decisions({ guard: { decisions, versions } }: { readonly guard: GuardRecord }) {
  const describeVersion = (version: string): string =>
    String(versions.find((one) => one.version === version)?.number ?? version.slice(0, 12));
  return (
    <Card title="Decisions">
      {decisions.length === 0 ? (
        <p className="muted">It has decided nothing yet.</p>
      ) : (
        <DataTable
          label="Decisions"
          rows={decisions}
          rowKey={({ version, outcome }) => `${version} ${outcome}`}
          columns={[
            { key: 'version', title: 'Version', render: ({ version }) => describeVersion(version) },
            { key: 'outcome', title: 'Led to', render: ({ outcome }) => outcome },
            { key: 'count', title: 'Times', isNumber: true, render: ({ count }) => formatCount(count) },
          ]}
        />
      )}
    </Card>
  );
}

function Changes({ guard: { changes } }: { readonly guard: GuardRecord }) {
  return (
    <Card title="Who changed its stages">
      <DataTable
        label="Changes of stages"
        rows={changes}
        rowKey={({ at, number, to }) => `${at} ${number} ${to}`}
        columns={[
          { key: 'at', title: 'When', render: ({ at }) => <DateTime at={at} /> },
          { key: 'who', title: 'Who', render: ({ actor }) => actor },
          {
            key: 'what',
            title: 'What',
            render: ({ number, from, to, cause }) => `version ${number}: ${from} → ${to} (${cause.replace('_', ' ')})`,
          },
          {
            key: 'basis',
            title: 'Based on',
            render: ({ basis }) => (basis ? `${basis.cause.replace('_', ' ')}: ${basis.figure}` : ''),
          },
          { key: 'why', title: 'Why', render: ({ reason }) => <span className="wrap-anywhere">{reason}</span> },
        ]}
      />
    </Card>
  );
}
