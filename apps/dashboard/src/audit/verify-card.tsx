import type { Verification } from '@phaseline/client';
import { Button } from '../ui/button.js';
import { Card } from '../ui/card.js';
import { Command } from '../ui/code.js';
import { formatBytes, formatCount, pluralise } from '../ui/format.js';
import { ErrorNotice, Notice } from '../ui/notice.js';
import { useVerification } from './use-verification.js';
import { VerificationResult } from './verification-result.js';

/** Verifies the whole log, or one job, and shows what was found. */
export function VerifyCard({ jobId }: { readonly jobId: string | undefined }) {
  const { verification, start, isRunning, error } = useVerification(jobId);
  const subject = jobId === undefined ? 'the whole log' : 'this job';
  return (
    <Card
      title={`Verification of ${subject}`}
      actions={
        <Button variant="primary" disabled={isRunning} onClick={start}>
          {isRunning ? 'Verifying…' : 'Verify now'}
        </Button>
      }
    >
      <div className="stack" aria-live="polite">
        {verification === undefined ? <Intro jobId={jobId} /> : null}
        {error ? <ErrorNotice error={error} /> : null}
        {verification?.status === 'running' ? <Progress verification={verification} /> : null}
        {verification?.report ? <VerificationResult report={verification.report} /> : null}
        {verification?.failure === undefined ? null : (
          <Notice tone="bad">
            The verification was not finished, so it says nothing about the log: {verification.failure}
          </Notice>
        )}
      </div>
    </Card>
  );
}

function Intro({ jobId }: { readonly jobId: string | undefined }) {
  return (
    <>
      <p>
        Computes the hash of every event again, compares it with the stored ones and with the signed anchors, checks the
        content of files, and derives every accepted claim from its evidence again.
      </p>
      <p className="muted">
        A server that could be changed together with its log proves little. To verify it from another machine, run{' '}
        <Command
          text={
            jobId === undefined ? 'phaseline audit verify --claims' : `phaseline audit verify --claims --job ${jobId}`
          }
        />
      </p>
    </>
  );
}

function Progress({ verification: { progress } }: { readonly verification: Verification }) {
  const { events, totalEvents, files, bytes, claims } = progress;
  return (
    <div className="stack-small">
      <progress
        className="audit-progress"
        aria-label="Events verified"
        value={Math.min(events, totalEvents)}
        max={Math.max(1, totalEvents)}
      />
      <p className="muted">
        {formatCount(events)} of {formatCount(totalEvents)} events, {pluralise(files, 'file')} ({formatBytes(bytes)}),{' '}
        {pluralise(claims, 'claim')}
      </p>
    </div>
  );
}
