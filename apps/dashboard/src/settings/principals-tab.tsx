import type { PrincipalRecord } from '@phaseline/client';
import { useState } from 'react';
import { useRights } from '../api/use-rights.js';
import { Badge } from '../ui/badge.js';
import { Button } from '../ui/button.js';
import { Card } from '../ui/card.js';
import { DataTable, type Column } from '../ui/data-table.js';
import { Empty } from '../ui/notice.js';
import { QueryView } from '../ui/query-view.js';
import { CreatePrincipalDialog } from './create-principal-dialog.js';
import { DisableDialog } from './disable-dialog.js';
import { GrantDialog } from './grant-dialog.js';
import { Grants } from './grants.js';
import { usePrincipals } from './use-principals.js';
import './settings.css';

type Asked = { readonly kind: 'create' } | { readonly kind: 'grant' | 'disable'; readonly principal: PrincipalRecord };

/** People and services, with their roles. */
export function PrincipalsTab() {
  const query = usePrincipals();
  const canManage = useRights()('principals:manage');
  const [asked, setAsked] = useState<Asked>();
  const close = (): void => setAsked(undefined);
  return (
    <Card
      title="People and services"
      actions={
        canManage ? (
          <Button variant="primary" onClick={() => setAsked({ kind: 'create' })}>
            Create principal
          </Button>
        ) : undefined
      }
    >
      <QueryView query={query}>
        {(principals) =>
          principals.length === 0 ? (
            <Empty>No principals. Until an administrator exists, the user who runs the server may do everything.</Empty>
          ) : (
            <DataTable
              label="Principals"
              columns={canManage ? [...columns(true), actionsColumn(setAsked)] : columns(false)}
              rows={principals}
              rowKey={({ id }) => id}
            />
          )
        }
      </QueryView>
      {asked?.kind === 'create' ? <CreatePrincipalDialog onClose={close} /> : null}
      {asked?.kind === 'grant' ? <GrantDialog principal={asked.principal} onClose={close} /> : null}
      {asked?.kind === 'disable' ? <DisableDialog principal={asked.principal} onClose={close} /> : null}
    </Card>
  );
}

function columns(canManage: boolean): readonly Column<PrincipalRecord>[] {
  return [
    { key: 'id', title: 'Name', render: ({ id }) => <span className="wrap-anywhere">{id}</span> },
    { key: 'kind', title: 'Kind', isSecondary: true, render: ({ kind }) => kind },
    { key: 'state', title: 'State', render: (principal) => <State principal={principal} /> },
    { key: 'roles', title: 'Roles', render: (principal) => <Grants principal={principal} canRevoke={canManage} /> },
    {
      key: 'keys',
      title: 'Keys in force',
      isNumber: true,
      isSecondary: true,
      render: ({ keys }) => keys.filter(({ status }) => status === 'active').length,
    },
  ];
}

function actionsColumn(ask: (asked: Asked) => void): Column<PrincipalRecord> {
  return {
    key: 'actions',
    title: <span className="visually-hidden">Actions</span>,
    render: (principal) => (
      <div className="row settings-actions">
        <Button aria-label={`Grant role to ${principal.id}`} onClick={() => ask({ kind: 'grant', principal })}>
          Grant role
        </Button>
        <Button
          aria-label={`${principal.disabledAt === undefined ? 'Disable' : 'Enable'} ${principal.id}`}
          onClick={() => ask({ kind: 'disable', principal })}
        >
          {principal.disabledAt === undefined ? 'Disable' : 'Enable'}
        </Button>
      </div>
    ),
  };
}

function State({ principal: { disabledAt } }: { readonly principal: PrincipalRecord }) {
  return disabledAt === undefined ? (
    <Badge tone="ok" glyph="✓">
      enabled
    </Badge>
  ) : (
    <Badge tone="warn" glyph="‖">
      disabled
    </Badge>
  );
}
