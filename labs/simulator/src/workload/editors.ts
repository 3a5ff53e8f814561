import type { JobId } from '@phaseline/contracts';
import { hasJobEnded, listJobFiles, type FileEdit } from '@phaseline/domain';
import { contentHash } from '@phaseline/event-store';
import type { Roll } from '@phaseline/harness';
import { requestUntilAnswered, wait, type People } from './requests.js';
import type { SentEdit } from './sent-edit.js';
import { SHARED_FILE } from './sim-tools.js';

/** Two people who edit the same files, one of them without looking first. */
const EDITORS = ['editor', 'rival'];

/**
 * Edits files of a job until it ends: one that tools write too, and one per person. An edit names the content that its sender saw a while
 * ago, which may have changed since.
 */
export async function editFiles(people: People, jobId: JobId, roll: Roll): Promise<void> {
  await Promise.all(EDITORS.map((actor) => editAs(people, jobId, actor, roll)));
}

async function editAs(people: People, jobId: JobId, actor: string, roll: Roll): Promise<void> {
  for (let number = 1; number <= 12; number += 1) {
    await wait(people.site, roll.between(500, 8_000));
    const path = roll.pick([SHARED_FILE, SHARED_FILE, `notes/of-${actor}.md`]);
    const seen = await requestUntilAnswered(people, async ({ repository }) => {
      const job = await repository.loadJob(jobId);
      if (!job || hasJobEnded(job)) return { hasEnded: true };
      const last = job.phases > 0 ? await repository.loadPhase(jobId, job.phases) : undefined;
      const files = listJobFiles(job, last?.tree ?? job.submitted.tree);
      return { hasEnded: false, hash: files[path]?.hash };
    });
    if (!seen || seen.hasEnded) return;
    await wait(people.site, roll.between(0, 3_000));
    const content = new TextEncoder().encode(`edit ${number} by ${actor}`);
    const isDeletion = seen.hash !== undefined && roll.happens(0.15);
    const edit: FileEdit = {
      path,
      ...(isDeletion ? {} : { file: { hash: contentHash(content), size: content.byteLength } }),
      ...(roll.happens(0.8) ? { expected: seen.hash ?? 'none' } : {}),
    };
    const sent: SentEdit = { jobId, actor, edit };
    people.onEdit(sent);
    const { expected: _, ...blind } = edit;
    const { checksSeenContent } = people.site.mutation;
    const request = { actor, action: 'edit-file', edit: checksSeenContent ? edit : blind } as const;
    const outcome = await requestUntilAnswered(people, async ({ driver, log }, isStillWanted) => {
      if (!isDeletion) await log.blobs.put(content);
      return driver.control(jobId, request, { idempotencyKey: `${actor} ${number}`, isStillWanted });
    });
    if (!outcome) continue;
    sent.outcome = outcome.kind;
    people.onAnswer('edit', outcome.kind);
  }
}
