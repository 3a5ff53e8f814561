export { cloudEventLine, DEFAULT_SOURCE } from './export/cloud-event.js';
export {
  exportEventFile,
  ExportFolderTaken,
  exportLog,
  verifierFile,
  type ExportLogOptions,
  type ExportSummary,
} from './export/export-log.js';
export {
  verifyExport,
  type ExportProblem,
  type ExportReport,
  type VerifyExportOptions,
} from './export/verify-export.js';
export { FILES_OF_EVENTS, namedFiles, type NamedFile } from './files/named-files.js';
export {
  verifyFiles,
  type FileProblem,
  type FileProblemKind,
  type FileReport,
  type VerifyFilesOptions,
} from './files/verify-files.js';
export {
  AuditKeyUnusable,
  openAuditKey,
  readAuditKey,
  readPublicKey,
  type AuditKey,
  type PublicKey,
} from './key/audit-key.js';
export { makeSeals, type MakeSealsOptions } from './seal/make-seals.js';
export { lastSeal, readKeys } from './seal/read-seals.js';
export { readReceipt, receiptOf, ReceiptUnusable, type Receipt } from './seal/receipt.js';
export { keepReceipts, readReceipts, RECEIPTS_FILE, type KeptReceipts } from './seal/kept-receipts.js';
export type { Seal, SealHead, SealStatement } from './seal/seal.js';
export {
  verifySeals,
  type SealProblem,
  type SealProblemKind,
  type SealReport,
  type VerifySealsOptions,
} from './seal/verify-seals.js';
