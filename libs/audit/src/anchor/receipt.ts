import { isSignedBy, parsePublicKey, type PublicKey } from '../key/audit-key.js';
import { computeAnchorHash, toAnchorText, type Anchor } from './anchor.js';

const FORMAT = 'phaseline-receipt-1';

/** An anchor with its public key. Store receipts where nobody with access to the database can change them. */
export interface Receipt {
  readonly format: typeof FORMAT;
  readonly anchor: Anchor;
  /** SubjectPublicKeyInfo in DER, base64. */
  readonly publicKey: string;
}

/** The text is not a receipt, or its signature is invalid. */
export class ReceiptUnusable extends Error {
  override readonly name = 'ReceiptUnusable';
  readonly code = 'receipt_unusable';
}

export function createReceipt(anchor: Anchor, key: PublicKey): Receipt {
  return { format: FORMAT, anchor, publicKey: key.der.toString('base64') };
}

/** Parses a receipt and checks its hash, key id and signature. Throws ReceiptUnusable. */
export function readReceipt(text: string): { readonly anchor: Anchor; readonly key: PublicKey } {
  let receipt: Receipt;
  let key: PublicKey;
  try {
    receipt = JSON.parse(text) as Receipt;
    if ((receipt as Receipt | null)?.format !== FORMAT) throw new Error(`its format is not ${FORMAT}`);
    key = parsePublicKey(Buffer.from(receipt.publicKey, 'base64'));
  } catch (cause) {
    throw new ReceiptUnusable(`not a receipt of an audit anchor: ${(cause as Error).message}`, { cause });
  }
  const { anchor } = receipt;
  const isValid =
    anchor.keyId === key.keyId &&
    anchor.hash === computeAnchorHash(anchor) &&
    isSignedBy(key, toAnchorText(anchor), Buffer.from(anchor.signature, 'hex'));
  if (!isValid) throw new ReceiptUnusable('the receipt was changed: its signature does not match its anchor');
  return { anchor, key };
}
