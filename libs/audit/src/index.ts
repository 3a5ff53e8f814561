export { toCloudEventLine, DEFAULT_SOURCE } from './export/cloud-event.js';
export {
  exportEventFile,
  ExportFolderTaken,
  exportLog,
  auditCheckerUrl,
  type ExportLogOptions,
  type ExportSummary,
} from './export/export-log.js';
export {
  verifyExport,
  type ExportProblem,
  type ExportReport,
  type VerifyExportOptions,
} from './export/verify-export.js';
export { FILE_REFERENCES_BY_EVENT, readReferencedFiles, type ReferencedFile } from './files/referenced-files.js';
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
export { createAnchors, type CreateAnchorsOptions } from './seal/create-anchors.js';
export { readLastAnchor, readPublishedKeys } from './seal/read-anchors.js';
export { readReceipt, createReceipt, ReceiptUnusable, type Receipt } from './seal/receipt.js';
export { storeReceipts, readReceipts, RECEIPTS_FILE, type StoredReceipts } from './seal/stored-receipts.js';
export type { Anchor, AnchoredStreamHead, AnchorStatement } from './seal/anchor.js';
export {
  verifyAnchors,
  type AnchorProblem,
  type AnchorProblemKind,
  type AnchorReport,
  type VerifyAnchorsOptions,
} from './seal/verify-anchors.js';
