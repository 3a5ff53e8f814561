import { useParams } from 'wouter';
import { useRights } from '../api/use-rights.js';
import { LinkButton } from '../ui/button.js';
import { Notice } from '../ui/notice.js';
import { Page } from '../ui/page.js';
import { LinkTabs } from '../ui/tabs.js';
import { ActionsView } from './actions-view.js';
import { AnchorsCard } from './anchors-card.js';
import { ClaimsCard } from './claims-card.js';
import { ExportCard } from './export-card.js';
import { JobLookup } from './job-lookup.js';
import { VerifyCard } from './verify-card.js';
import './audit.css';

const ACTIONS = 'actions';

/** Whether the log is what was written, and who did what. */
export default function AuditScreen() {
  const { jobId } = useParams<{ jobId?: string }>();
  const canAudit = useRights()('audit:read');
  if (jobId !== undefined && jobId !== ACTIONS) return <JobAudit jobId={jobId} canAudit={canAudit} />;
  // Without the right to verify the log, who did what is all that there is to see.
  const isActions = jobId === ACTIONS || !canAudit;
  return (
    <Page title="Audit" fill={isActions} actions={<JobLookup />}>
      <LinkTabs
        label="Audit"
        tabs={[
          ...(canAudit ? [{ to: '/audit', title: 'Proofs' }] : []),
          { to: `/audit/${ACTIONS}`, title: 'Who did what' },
        ]}
        current={isActions ? `/audit/${ACTIONS}` : '/audit'}
      />
      {isActions ? <ActionsView /> : null}
      {isActions ? null : (
        <div className="stack">
          <VerifyCard jobId={undefined} />
          <AnchorsCard />
        </div>
      )}
    </Page>
  );
}

/** The proofs of one job: its hashes, its claims with their evidence, and who changed it. */
function JobAudit({ jobId, canAudit }: { readonly jobId: string; readonly canAudit: boolean }) {
  return (
    <Page
      title={`Audit of job ${jobId}`}
      actions={
        <>
          <LinkButton to={`/jobs/${jobId}`}>Open the job</LinkButton>
          <LinkButton to="/audit">Whole log</LinkButton>
        </>
      }
    >
      {canAudit ? <VerifyCard key={jobId} jobId={jobId} /> : <MissingRight />}
      <ClaimsCard jobId={jobId} />
      {canAudit ? <ExportCard jobId={jobId} /> : null}
      <ActionsView jobId={jobId} />
    </Page>
  );
}

function MissingRight() {
  return (
    <Notice>
      Verifying the log needs the right audit:read, which the role auditor contains when it is granted for all tenants.
    </Notice>
  );
}
