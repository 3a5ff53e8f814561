import type { JobId } from '@phaseline/contracts';
import type { Engine } from './engine.js';

/** Submits a job and runs it. A process of its own handles each message and dies afterwards; each message is delivered twice, as queues may do. */
export async function runLosingProcesses(engine: Engine): Promise<JobId> {
  const jobId = await engine.submit();
  await engine.driver.advance(jobId);
  for (let turn = 0; engine.messages.length > 0; turn += 1) {
    const message = engine.messages.shift()!;
    const name = `process-${turn}`;
    engine.alive.add(name);
    await engine.deliver(message, engine.worker(name), engine.toolRunner(name));
    await engine.deliver(message, engine.worker(`${name}-again`), engine.toolRunner(`${name}-again`));
    engine.alive.delete(name);
    await engine.driver.advance(jobId);
  }
  return jobId;
}
