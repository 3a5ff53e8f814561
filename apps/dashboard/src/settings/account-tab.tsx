import type { WhoAmI } from '@phaseline/client';
import { useWhoAmI } from '../api/use-rights.js';
import { Card } from '../ui/card.js';
import { DataTable, type Column } from '../ui/data-table.js';
import { KeyValues } from '../ui/key-values.js';
import { QueryView } from '../ui/query-view.js';
import { DateTime } from '../ui/time.js';
import { formatTenants } from './tenant-text.js';

const methods: Readonly<Record<WhoAmI['authentication']['method'], string>> = {
  key: 'with a key',
  'configured-key': 'with a key of the configuration (PHASELINE_API_KEYS)',
  session: 'with a session of this browser',
  'local-user': 'as the user who runs the server, because no administrator has a key',
};

const columns: readonly Column<WhoAmI['rights'][number]>[] = [
  { key: 'right', title: 'Right', render: ({ right }) => <code>{right}</code> },
  { key: 'tenants', title: 'Tenants', render: ({ tenants }) => formatTenants(tenants) },
];

/** Who the caller is, and what it may do. */
export function AccountTab() {
  const query = useWhoAmI();
  return (
    <QueryView query={query}>
      {(caller) => (
        <div className="settings-columns">
          <Card title="Your account">
            <div className="stack">
              <KeyValues items={describeCaller(caller)} />
              {caller.authentication.method === 'session' ? (
                <p>
                  <a href="/signed-in">Sign out of this browser</a>
                </p>
              ) : null}
            </div>
          </Card>
          <Card title={`Rights (${caller.rights.length})`}>
            <DataTable label="Your rights" columns={columns} rows={caller.rights} rowKey={({ right }) => right} />
          </Card>
        </div>
      )}
    </QueryView>
  );
}

function describeCaller({ id, kind, onBehalfOf, authentication, roles }: WhoAmI) {
  const { method, prefix, expiresAt } = authentication;
  return [
    ['Name', id],
    ['Kind', kind],
    ['Acts for', onBehalfOf?.id],
    ['Signed in', methods[method]],
    ['Key', prefix === undefined ? undefined : <code key="prefix">{prefix}</code>],
    ['Until', expiresAt === undefined ? undefined : <DateTime key="until" at={expiresAt} />],
    ['Roles', roles.map(({ role, tenant }) => `${role} in ${formatTenants([tenant])}`).join(', ')],
  ] as const;
}
