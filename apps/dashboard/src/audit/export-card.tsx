import { useQuery } from '@tanstack/react-query';
import { client } from '../api/client.js';
import { Card } from '../ui/card.js';
import { Command } from '../ui/code.js';
import { Notice } from '../ui/notice.js';
import { QueryView } from '../ui/query-view.js';
import '../ui/button.css';

/** Downloads a job as an archive that proves itself. The browser writes it to the disk as it arrives. */
export function ExportCard({ jobId }: { readonly jobId: string }) {
  const key = useQuery({
    queryKey: ['audit', 'key'],
    queryFn: async ({ signal }) => ({ hasKey: (await client.audit.anchors({ limit: 1 }, { signal })).hasKey ?? true }),
  });
  return (
    <Card title="Export">
      <div className="stack">
        <p>
          An archive with the events, the anchors, a signed manifest, and the program that checks them without
          Phaseline. With files, its claims can be derived from it, too.
        </p>
        <QueryView query={key}>
          {({ hasKey }) => (hasKey ? <Downloads jobId={jobId} /> : <WithoutKey jobId={jobId} />)}
        </QueryView>
      </div>
    </Card>
  );
}

function Downloads({ jobId }: { readonly jobId: string }) {
  const address = `/v1/jobs/${encodeURIComponent(jobId)}/export`;
  return (
    <>
      <div className="row">
        <a className="button button-plain" href={address} download>
          Download without files
        </a>
        <a className="button button-plain" href={`${address}?files=true`} download>
          Download with files
        </a>
      </div>
      <p className="muted">
        Unpack it on a machine that you trust, and verify it there with{' '}
        <Command text={`phaseline audit verify --claims --export job-${jobId}`} />
      </p>
    </>
  );
}

/** What to do where no key signs the archive. */
function WithoutKey({ jobId }: { readonly jobId: string }) {
  return (
    <Notice tone="warn">
      <p>
        This server has no key that could sign an archive. Set PHASELINE_AUDIT_KEY_FILE to the path of one and start it
        again, or export the job on a machine with a key:
      </p>
      <Command text={`phaseline audit export ${jobId} --with-files --out export`} />
    </Notice>
  );
}
