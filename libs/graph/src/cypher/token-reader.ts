import { CypherError } from './cypher-error.js';
import { formatPosition, tokenize, type Token } from './tokens.js';

/** Reads the tokens of a query from a current position. Keywords are case-insensitive. */
export class TokenReader {
  private readonly tokens: readonly Token[];
  at = 0;

  constructor(private readonly query: string) {
    this.tokens = tokenize(query);
  }

  peek(ahead = 0): Token {
    return this.tokens[Math.min(this.at + ahead, this.tokens.length - 1)]!;
  }

  next(): Token {
    const token = this.peek();
    this.at += 1;
    return token;
  }

  isWord(word: string, ahead = 0): boolean {
    const token = this.peek(ahead);
    return token.kind === 'word' && token.text.toUpperCase() === word;
  }

  isSign(sign: string, ahead = 0): boolean {
    const token = this.peek(ahead);
    return token.kind === 'sign' && token.text === sign;
  }

  /** Consumes the keywords if all of them come next. Returns whether they did. */
  takeWords(text: string): boolean {
    const words = text.split(' ');
    if (!words.every((word, i) => this.isWord(word, i))) return false;
    this.at += words.length;
    return true;
  }

  takeSign(sign: string): boolean {
    if (!this.isSign(sign)) return false;
    this.at += 1;
    return true;
  }

  expectSign(sign: string): void {
    if (!this.takeSign(sign)) this.fail(`'${sign}'`);
  }

  expectWords(text: string): void {
    if (!this.takeWords(text)) this.fail(text);
  }

  /** Consumes a name: of a variable, label, type, property or function. `what` describes it for the error. */
  takeName(what: string): string {
    const token = this.peek();
    if (token.kind !== 'word' && token.kind !== 'quoted') this.fail(what);
    this.at += 1;
    return token.text;
  }

  /** Returns the query text between two token positions. */
  textBetween(from: number, to: number): string {
    return this.query.slice(this.tokens[from]?.at ?? 0, this.tokens[to]?.at ?? this.query.length).trim();
  }

  fail(expected: string): never {
    const token = this.peek();
    throw new CypherError(
      'syntax',
      `Expected ${expected}, but found '${token.text}' at ${formatPosition(this.query, token.at)}.`,
    );
  }

  unsupported(what: string): never {
    throw new CypherError(
      'unsupported',
      `${what} is not supported by this graph (${formatPosition(this.query, this.peek().at)}).`,
    );
  }
}
