export type {
  Admission,
  AdmissionSettings,
  SlotGrant,
  Slot,
  SlotResponse,
  SlotRequest,
  SlotWait,
  TenantLoad,
  Tenants,
  WorkerWindow,
} from './admission/admission.js';
export { MemoryAdmission } from './admission/memory-admission.js';
export type { MemoryAdmissionOptions } from './admission/memory-admission.js';
export { PostgresAdmission } from './admission/postgres-admission.js';
export type { PostgresAdmissionOptions } from './admission/postgres-admission.js';
export type { ControlOptions } from './control-options.js';
export { JobDriver } from './job-driver.js';
export type { ControlOutcome, JobDriverParts } from './job-driver.js';
export type { AgentSource, Clock, ExperienceSource, Leases, ResolvedAgent } from './ports.js';
export { Reconciler } from './reconciler.js';
export type { ReconcilerOptions, ReconcilerParts, ReconcilerPass } from './reconciler.js';
export { DocumentRefused, IdempotencyConflict, InputsMissing } from './submit-errors.js';
export type { MissingInput } from './submit-errors.js';
export { submitJob } from './submit-job.js';
export type { Submission, SubmissionParts } from './submit-job.js';
export type { JobDocument, JobRequest } from './job-request.js';
export { eraseJob, type EraseOutcome, type EraseParts } from './erase-job.js';
