import type { JsonObject, JsonValue } from '@phaseline/basics';

const notReady =
  /\b(?:running|pending|queued|in[ _-]?progress|not (?:yet )?(?:ready|finished|complete|completed|done|available|started)|building|compiling|deploying|provisioning|initiali[sz]ing|starting|processing|scheduled|waiting|syncing|indexing|uploading|retry[- ]after|please wait|unfinished|incomplete|ongoing|creating|updating|rolling out|draining|warming)\b/i;

const passing =
  /\b(?:429|502|503|504|too many requests|rate.?limit\w*|overloaded|temporar\w+|unavailable|timed? ?out|timeout|try again (?:later|in)|connection (?:reset|refused)|econn\w+|etimedout|socket hang up|throttl\w+|busy|locked|not (?:yet )?ready|starting)\b/i;

const failed =
  /^\s*(?:error\b|\[?error\]?[:\s]|exception\b|traceback|fatal\b|failed\b|failure\b|panic:|unhandled|exit (?:code|status)[: ]+[1-9]|exited with (?:code |status )?[1-9]|command (?:failed|not found)|killed by signal|stopped because|http\/?\S* [45]\d\d|status(?: code)?[: ]+[45]\d\d\b)/i;

/** A failure reported as JSON. */
const failedObject =
  /^\s*\{[^{}]{0,100}?"(?:error|errors|exception)"\s*:(?!\s*(?:null|false|""|\[\s*\]|\{\s*\}))|^\s*\{[^{}]{0,100}?(?:"(?:success|ok)"\s*:\s*false|"is_?error"\s*:\s*true|"status"\s*:\s*"(?:error|failed|failure)")/i;

const nothing =
  /^\W*$|^\s*(?:null|undefined|none|n\/a|no|nothing|empty|0)\W*$|\b(?:no|zero|0) (?:\w+ ){0,2}?(?:results?|match(?:es)?|hits?|files?|rows?|documents?|entries|items?|records?|messages?|lines?|data|pages?|output)\b|\bnothing (?:was )?(?:found|new|to)\b|\bno line of\b|\bnot found\b|\b(?:is|are|was) empty\b|\bcould not find\b|\bdoes not (?:exist|contain|match)\b|"(?:results|items|hits|data|matches)"\s*:\s*\[\s*\]/i;

/** Maximum length of a result that only says that there was nothing, or that something is not ready. */
const MAX_STATUS_CHARACTERS = 400;
/** Maximum length of a brief result, which only confirms or rejects the arguments. */
const MAX_BRIEF_CHARACTERS = 100;

/** Whether the result says that something is in progress. */
export function isNotReady(text: string): boolean {
  return text.length <= MAX_STATUS_CHARACTERS && notReady.test(text);
}

/** Whether the failure is transient. */
export function isTransientFailure(text: string): boolean {
  return passing.test(text.slice(0, 1_000));
}

/** Whether a successful result reports a failure in its text, as many tools do. */
export function isReportedFailure(text: string): boolean {
  const head = text.slice(0, 200);
  return failed.test(head) || failedObject.test(head);
}

/** Exit code 1 without output, which is how searches and comparisons report no match. */
const quietNo = /^exit(?:ed)? (?:with )?(?:code|status)[: ]+1\b[^\n]*(?:\nstdout: empty)?(?:\nstderr: empty)?\s*$/i;

export function isSilentExitOne(text: string): boolean {
  return quietNo.test(text);
}

/** Whether the result says that there was nothing. */
export function isEmptyResult(text: string): boolean {
  return text.length <= MAX_STATUS_CHARACTERS && (nothing.test(text) || isSilentExitOne(text));
}

export function isBriefResult(text: string): boolean {
  return text.length <= MAX_BRIEF_CHARACTERS;
}

const waits = /(?:^|[^a-z])(?:sleep|wait|delay|pause|idle)(?:$|[^a-z])/i;
const waitingCommand = /^\s*(?:sleep|timeout \d+ sleep|start-sleep)\b/i;

/** Whether the call only lets time pass. */
export function isWaitingCall(name: string, args: JsonObject): boolean {
  return waits.test(name.replace(/([a-z])([A-Z])/g, '$1_$2')) || Object.values(args).some(waitsInText);
}

function waitsInText(value: JsonValue | undefined): boolean {
  if (Array.isArray(value)) return value.some(waitsInText);
  return typeof value === 'string' && waitingCommand.test(value);
}
