import type { PrincipalRecord } from '@phaseline/client';
import { useState } from 'react';
import { client } from '../api/client.js';
import { Button } from '../ui/button.js';
import { ConfirmDialog } from '../ui/confirm-dialog.js';
import { formatDateTime } from '../ui/format.js';
import { formatTenants } from './tenant-text.js';
import { useChangePrincipals } from './use-principals.js';

type Grant = PrincipalRecord['roles'][number];

/** The roles of a principal, each with its tenant, and a button that revokes it. */
export function Grants({ principal, canRevoke }: { readonly principal: PrincipalRecord; readonly canRevoke: boolean }) {
  const [asked, setAsked] = useState<Grant>();
  const change = useChangePrincipals();
  if (principal.roles.length === 0) return <span className="muted">no role</span>;
  const name = ({ role, tenant }: Grant): string => `${role} in ${formatTenants([tenant])}`;
  return (
    <>
      <ul className="settings-grants">
        {principal.roles.map((grant) => (
          <li key={`${grant.role} ${grant.tenant}`}>
            <span title={`Granted by ${grant.grantedBy} on ${formatDateTime(grant.grantedAt)}`}>{name(grant)}</span>
            {canRevoke ? (
              <Button
                variant="quiet"
                aria-label={`Revoke ${name(grant)} of ${principal.id}`}
                onClick={() => setAsked(grant)}
              >
                Revoke
              </Button>
            ) : null}
          </li>
        ))}
      </ul>
      {asked ? (
        <ConfirmDialog
          title={`Revoke ${name(asked)} of ${principal.id}?`}
          confirmLabel="Revoke"
          danger
          onConfirm={() => change(client.principals.revoke(principal.id, { role: asked.role, tenant: asked.tenant }))}
          onClose={() => setAsked(undefined)}
        >
          <p>The rights of this role end within seconds. What was done with them stays recorded.</p>
        </ConfirmDialog>
      ) : null}
    </>
  );
}
