/**
 * What a turn says that is not meant: a scene somebody asks to imagine, a text to be translated, a joke taken back. All
 * of it looks like statements about the speaker.
 */
import type { Sentence } from './language.ts';

export interface Scene {
  /** What follows in this turn is a made-up scene, or a text that somebody else is to work on. */
  isStaged: boolean;
}

const STAGES =
  /^(?:(?:ok|okay|so|now|please|hey|hi|and|but|then|for example|e\.g\.),? )*(?:imagine|pretend|suppose|supposing|hypothetically|hypothetical|let['’]?s (?:say|pretend|imagine|assume)|let us (?:say|pretend|assume)|assume|say,|picture this|role ?-?play|what if|scenario|story idea|in (?:a|my|the|this) (?:dream|story|novel|game|book|script|play|alternate|parallel|scenario))\b/i;
const TASKS =
  /^(?:(?:ok|okay|so|now|please|hey|hi|can you|could you|help me|i need you to|i want you to|just|also),? )*(?:translate|rewrite|rephrase|paraphrase|proofread|correct|edit|improve|shorten|summari[sz]e|write|draft|compose|continue|complete|act as|be my|turn this|fix|check)\b/i;
const FIRST_PERSON_TASK = /^(?:(?:please|hey|hi),? )*(?:edit|update|correction|fix|check)\s*:/i;
const TAKEN_BACK =
  /^(?:(?:haha|lol|no|nah|ok|okay),? )*(?:(?:i['’]?m |i am )?(?:just |only )?(?:kidding|joking|messing with you)|jk\b|j\/k|not really\s*[.!]*$|april fools?)/i;

/** True for a line that may set a scene for those after it, though it says nothing of anybody itself. */
export function maySetScene(line: string): boolean {
  return STAGES.test(line) || TASKS.test(line);
}

/** Reads one sentence of a turn into its scene. True when the sentence is staged itself. */
export function readStage(sentence: Sentence, text: string, scene: Scene): boolean {
  const words = text.slice(sentence.start, sentence.end);
  if (STAGES.test(words)) {
    scene.isStaged = true;
    return true;
  }
  if (TASKS.test(words) && !FIRST_PERSON_TASK.test(words)) {
    scene.isStaged ||= /[:"“]|\bact as\b/i.test(words);
    return true;
  }
  return scene.isStaged;
}

/** "Just kidding": what the sentences before it in the turn said was no statement. */
export function isTakenBack(sentence: Sentence, text: string): boolean {
  return TAKEN_BACK.test(text.slice(sentence.start, sentence.end));
}
