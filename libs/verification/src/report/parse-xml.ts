import sax from 'sax';
import { UnreadableReport } from './report.js';

/** An element of a report. Names and attributes are as written, without namespaces. */
interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
}

export interface XmlListener {
  open(element: XmlElement, depth: number): void;
  close?(name: string): void;
}

/** Maximum depth of elements. Reports nest a test suite per folder at most. */
const MAX_DEPTH = 200;

/**
 * Reads an XML report element by element. The parser resolves no external entity and expands no declared one, and a document that
 * declares any is refused. Throws UnreadableReport.
 */
export function parseXml(text: string, listener: XmlListener): void {
  const parser = sax.parser(true, {});
  let depth = 0;
  let isEmpty = true;
  parser.onerror = (error) => {
    throw new UnreadableReport(`it is not well-formed XML (line ${parser.line + 1})`, { cause: error });
  };
  parser.ondoctype = (doctype) => {
    if (/[[<]/.test(doctype)) throw new UnreadableReport('it declares entities, which is not accepted');
  };
  parser.onopentag = (tag) => {
    depth += 1;
    isEmpty = false;
    if (depth > MAX_DEPTH) throw new UnreadableReport(`its elements are nested more than ${MAX_DEPTH} deep`);
    listener.open({ name: tag.name, attributes: tag.attributes as Readonly<Record<string, string>> }, depth);
  };
  parser.onclosetag = (name) => {
    depth -= 1;
    listener.close?.(name);
  };
  parser.write(text.replace(/^\uFEFF/, '')).close();
  if (isEmpty) throw new UnreadableReport('it has no XML element');
}
