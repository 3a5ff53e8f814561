import type { JsonObject, JsonValue } from '../json.js';

const notReady =
  /\b(?:running|pending|queued|in[ _-]?progress|not (?:yet )?(?:ready|finished|complete|completed|done|available|started)|building|compiling|deploying|provisioning|initiali[sz]ing|starting|processing|scheduled|waiting|syncing|indexing|uploading|retry[- ]after|please wait|unfinished|incomplete|ongoing|creating|updating|rolling out|draining|warming)\b/i;

const passing =
  /\b(?:429|502|503|504|too many requests|rate.?limit\w*|overloaded|temporar\w+|unavailable|timed? ?out|timeout|try again (?:later|in)|connection (?:reset|refused)|econn\w+|etimedout|socket hang up|throttl\w+|busy|locked|not (?:yet )?ready|starting)\b/i;

const failed =
  /^\s*(?:error\b|\[?error\]?[:\s]|exception\b|traceback|fatal\b|failed\b|failure\b|panic:|unhandled|exit (?:code|status)[: ]+[1-9]|exited with (?:code |status )?[1-9]|command (?:failed|not found)|ended by the signal|stopped, because|http\/?\S* [45]\d\d|status(?: code)?[: ]+[45]\d\d\b)/i;

/** The same as JSON. */
const failedObject =
  /^\s*\{[^{}]{0,100}?"(?:error|errors|exception)"\s*:(?!\s*(?:null|false|""|\[\s*\]|\{\s*\}))|^\s*\{[^{}]{0,100}?(?:"(?:success|ok)"\s*:\s*false|"is_?error"\s*:\s*true|"status"\s*:\s*"(?:error|failed|failure)")/i;

const nothing =
  /^\W*$|^\s*(?:null|undefined|none|n\/a|no|nothing|empty|0)\W*$|\b(?:no|zero|0) (?:\w+ ){0,2}?(?:results?|match(?:es)?|hits?|files?|rows?|documents?|entries|items?|records?|messages?|lines?|data|pages?|output)\b|\bnothing (?:was )?(?:found|new|to)\b|\bno line of\b|\bnot found\b|\b(?:is|are|was) empty\b|\bcould not find\b|\bdoes not (?:exist|contain|match)\b|"(?:results|items|hits|data|matches)"\s*:\s*\[\s*\]/i;

/** Longer results say more than that there was nothing, or that it is not ready. */
const SHORT = 400;
/** A result of up to this length is a word on the arguments, not news of its own. */
const BRIEF = 100;

/** The result says that something is under way. */
export function saysNotReady(text: string): boolean {
  return text.length <= SHORT && notReady.test(text);
}

/** The failure is of a kind that passes by itself. */
export function mayPass(text: string): boolean {
  return passing.test(text.slice(0, 1_000));
}

/** A result that ended well for the machine, and tells of a failure all the same: many tools report their errors so. */
export function tellsOfFailure(text: string): boolean {
  const head = text.slice(0, 200);
  return failed.test(head) || failedObject.test(head);
}

/** A program that ended with 1 and had nothing to say: that is how searches and comparisons say no. */
const quietNo = /^exit(?:ed)? (?:with )?(?:code|status)[: ]+1\b[^\n]*(?:\nstdout: empty)?(?:\nstderr: empty)?\s*$/i;

export function isQuietNo(text: string): boolean {
  return quietNo.test(text);
}

/** The result says that there was nothing. */
export function saysNothing(text: string): boolean {
  return text.length <= SHORT && (nothing.test(text) || isQuietNo(text));
}

export function isBrief(text: string): boolean {
  return text.length <= BRIEF;
}

const waits = /(?:^|[^a-z])(?:sleep|wait|delay|pause|idle)(?:$|[^a-z])/i;
const waitingCommand = /^\s*(?:sleep|timeout \d+ sleep|start-sleep)\b/i;

/** A call that lets time pass. */
export function letsTimePass(name: string, args: JsonObject): boolean {
  return waits.test(name.replace(/([a-z])([A-Z])/g, '$1_$2')) || Object.values(args).some(waitsInText);
}

function waitsInText(value: JsonValue | undefined): boolean {
  if (Array.isArray(value)) return value.some(waitsInText);
  return typeof value === 'string' && waitingCommand.test(value);
}
