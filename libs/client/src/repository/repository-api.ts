import type { JobId } from '@phaseline/contracts';
import { createGet, createWrite, type Cancellable } from '../http/requests.js';
import { routes } from '../http/routes.js';
import type { Transport } from '../http/transport.js';
import {
  jobRepositorySchema,
  outputRequestedSchema,
  type JobRepositoryResponse,
  type PatchRequest,
  type OutputRequested,
  type PublishRequest,
} from './repository-output.js';

/** Repositories of jobs, and their changes as patches, branches and pull requests. */
export class RepositoryApi {
  constructor(private readonly transport: Transport) {}

  /** Reads the repository of a job and the outputs of its changes. Throws RequestRefused if the job has none. */
  get(jobId: JobId, options: Cancellable = {}): Promise<JobRepositoryResponse> {
    return this.transport.json(createGet(routes.jobRepository(jobId), {}, options), jobRepositorySchema);
  }

  /** Requests a patch of the changes of a job. Read `get` until it is made, then `readPatch`. */
  requestPatch(jobId: JobId, options: Cancellable & PatchRequest = {}): Promise<OutputRequested> {
    const { draft, ...rest } = options;
    const body = draft === undefined ? {} : { draft };
    return this.transport.json(createWrite('POST', routes.jobPatch(jobId), body, rest), outputRequestedSchema);
  }

  /** Reads the last patch that was made. Throws FileNotFound if there is none. */
  readPatch(jobId: JobId, options: Cancellable = {}): Promise<Uint8Array<ArrayBuffer>> {
    const request = createGet(routes.jobPatch(jobId), {}, options);
    return this.transport.send(request, async (response) => new Uint8Array(await response.arrayBuffer()));
  }

  /** Requests a branch or a pull request with the changes of a job. Read `get` until it is made. */
  publish(jobId: JobId, request: PublishRequest, options: Cancellable = {}): Promise<OutputRequested> {
    return this.transport.json(createWrite('POST', routes.jobOutputs(jobId), request, options), outputRequestedSchema);
  }
}
