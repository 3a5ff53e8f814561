import { Card } from '../ui/card.js';
import { Command } from '../ui/code.js';
import '../ui/button.css';

/** Downloads a job as an archive that proves itself. The browser writes it to the disk as it arrives. */
export function ExportCard({ jobId }: { readonly jobId: string }) {
  const address = `/v1/jobs/${encodeURIComponent(jobId)}/export`;
  return (
    <Card title="Export">
      <div className="stack">
        <p>
          An archive with the events, the anchors, a signed manifest, and the program that checks them without
          Phaseline. With files, its claims can be derived from it, too.
        </p>
        <div className="row">
          <a className="button button-plain" href={address} download>
            Download without files
          </a>
          <a className="button button-plain" href={`${address}?files=true`} download>
            Download with files
          </a>
        </div>
        <p className="muted">
          The key of PHASELINE_AUDIT_KEY_FILE signs it. On a server without one the download fails; then use{' '}
          <Command text={`phaseline audit export ${jobId} --with-files --out export`} />
        </p>
      </div>
    </Card>
  );
}
