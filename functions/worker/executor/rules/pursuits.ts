/** Pastimes, routines, projects and volunteering. */
import type { Finding } from './claim-draft.ts';
import { findTimeStart } from './clause-times.ts';
import { isHeld, isStated, joinLower, lowerAt, readListed, readObject } from './clause-words.ts';
import type { Clause } from './clauses.ts';
import { toGain, toMember } from './findings.ts';
import { findPhraseEnd, joinTokens, readEmployer, readName } from './phrases.ts';
import { ACTIVITIES, INSTRUMENTS_AND_GAMES, PASTIME_VERBS } from './vocabulary-things.ts';

const FREQUENCY =
  /\b(?:every (?:other |single |second )?(?:day|morning|evening|night|afternoon|week|weekend|weekday|month|year|summer|winter|spring|autumn|fall|(?:mon|tues|wednes|thurs|fri|satur|sun)day(?: (?:morning|afternoon|evening|night))?|two weeks|christmas|few (?:days|weeks|months))s?|each (?:day|morning|evening|night|week|month|weekend)|on (?:(?:mon|tues|wednes|thurs|fri|satur|sun)days|weekends|weekdays|weeknights)|(?:mon|tues|wednes|thurs|fri|satur|sun)day (?:mornings|evenings|nights|afternoons)|(?:once|twice|three times|four times|five times|\d times) (?:a|per|every) (?:day|week|month|year)|most (?:days|mornings|evenings|nights|weekends|weeks)|in the (?:mornings|evenings|afternoons)|weekly|monthly|daily(?=$|[.,!]))\b/i;
const RISING =
  /^(?:wake up|get up|go to bed|go to sleep|start work|finish work)\b.{0,30}\b(?:at|around|by|before|after) (?:\d|five|six|seven|eight|nine|ten|eleven|midnight|noon)/;
const NO_ROUTINES = new Set(
  "need want would like love hate think feel know find wonder forget hear mean wish hope says say ask lose miss try tries appreciate tend create read's am is".split(
    ' ',
  ),
);
const MAKING = new Set(
  'building writing developing renovating restoring designing making creating composing recording editing organizing organising programming remodeling remodelling drafting'.split(
    ' ',
  ),
);
const EPHEMERAL =
  /\b(?:emails?|message|note|letter|list|reply|response|text|dinner|lunch|breakfast|coffee|tea|mistakes?|sense|progress|sure|excuses|report|essay|post|cake|bed|effort|patience|anger|posture|accent|fitness|decision|change|changes|difference|point)\b/i;
const PREPARING = /^(?:training|preparing|studying|saving(?: up)?|practi[cs]ing) for\b/;
const NO_OBJECTS = new Set(
  'it this that these those them something anything things myself everything on with for from how getting being my'.split(
    ' ',
  ),
);
const FREQUENCY_WORDS_MAX = 16;

export function findPursuits(clause: Clause): Finding[] {
  const { verb } = clause;
  const main = lowerAt(clause, verb.main);
  const begun = isStated(clause) && !clause.isSubordinate && !verb.isProgressive ? findBegun(clause, main) : [];
  if (begun.length > 0) return begun;
  if (!isHeld(clause)) return [];
  if (verb.isProgressive) {
    const played = verb.isPerfect ? findPastime(clause, main) : [];
    const volunteering = findVolunteering(clause, main);
    if (volunteering.length > 0) return volunteering;
    return played.length > 0 ? played : findProject(clause, main);
  }
  const keen = verb.isCopula && !verb.isPerfect ? findKeen(clause) : [];
  if (keen.length > 0) return keen;
  if (verb.isCopula || verb.isPerfect) return [];
  return (
    [
      findVolunteering(clause, main),
      findChannel(clause, main),
      findRoutine(clause, main),
      findPastime(clause, main),
    ].find((found) => found.length > 0) ?? []
  );
}

/** "A new project", "my health", "becoming healthier", "one with my group": true of everybody. */
function isVague(value: string): boolean {
  return (
    /^(?:\w+ ){0,2}(?:projects?|business|health|ideas?|things?|stuff|lots?|bunch|details?)(?: together)?$|^one\b|^(?:\w+ )?(?!\w*(?:painting|building|recording|drawing)\b)\w+ing (?:up|my|a|the|more|\w+(?:er|ed)?)\b(?!.*\bapp\b)/i.test(
      value,
    ) &&
    !/^(?:building|writing|developing|renovating|restoring|designing|making|creating|composing|recording|editing|organi[sz]ing|programming|remodell?ing|drafting)\b/i.test(
      value,
    )
  );
}

/** "I took up knitting last month", "I started playing the drums", "I've started writing a memoir". */
function findBegun(clause: Clause, main: string): Finding[] {
  const { tokens } = clause.sentence;
  const from = clause.verb.main + 1;
  const next = lowerAt(clause, from);
  const gain = (attribute: string, value: string): Finding[] => [
    toGain(clause, { attribute, value, rule: 'begun@1', confidence: 0.7 }),
  ];
  if (/^(?:took|taken|picked)$/.test(main) && next === 'up') {
    const at = lowerAt(clause, from + 1) === 'the' ? from + 2 : from + 1;
    const taken = readListed(tokens, at, ACTIVITIES, 1) ?? readListed(tokens, at, INSTRUMENTS_AND_GAMES);
    return taken === undefined ? [] : gain('hobby', taken.value);
  }
  if (main === 'got' && next === 'into') {
    const activity = readListed(tokens, from + 1, ACTIVITIES, 1);
    return activity === undefined ? [] : gain('hobby', activity.value);
  }
  if (!/^(?:started|began|begun)$/.test(main)) return [];
  if (next === 'playing') {
    const at = lowerAt(clause, from + 1) === 'the' ? from + 2 : from + 1;
    const played = readListed(tokens, at, INSTRUMENTS_AND_GAMES);
    return played === undefined ? [] : gain('hobby', `play ${joinTokens(tokens.slice(from + 1, played.next))}`);
  }
  if (!MAKING.has(next) || !/^(?:an?|my|our)$/.test(lowerAt(clause, from + 1))) return [];
  const object = readObject(clause, from + 1, 9);
  return object === undefined || EPHEMERAL.test(object.value)
    ? []
    : gain('project', joinTokens(tokens.slice(from, object.next)));
}

/** "I'm working on a novel about bees", "I'm training for the Oslo marathon". */
function findProject(clause: Clause, main: string): Finding[] {
  const { tokens } = clause.sentence;
  const from = clause.verb.main + 1;
  const preparing = PREPARING.exec(joinLower(clause, clause.verb.main, 4));
  if (preparing !== null) {
    const object = readObject(clause, clause.verb.main + preparing[0].split(' ').length, 7);
    if (object === undefined || NO_OBJECTS.has(object.value.toLowerCase())) return [];
    return [toProject(clause, joinTokens(tokens.slice(clause.verb.main, object.next)))];
  }
  const isWork = main === 'working' && lowerAt(clause, from) === 'on';
  if (!isWork && !MAKING.has(main)) return [];
  const at = isWork ? from + 1 : from;
  const lead = lowerAt(clause, at);
  if (NO_OBJECTS.has(lead) && lead !== 'my') return [];
  if (!isWork && !/^(?:an?|my|our)$/.test(lead)) return [];
  const object = readObject(clause, at, 9);
  if (
    object === undefined ||
    isVague(object.value) ||
    EPHEMERAL.test(object.value) ||
    (isWork && object.next - at < 2 && lead !== 'my')
  )
    return [];
  return [toProject(clause, isWork ? object.value : joinTokens(tokens.slice(clause.verb.main, object.next)))];
}

/** "I run a podcast about trains." */
function findChannel(clause: Clause, main: string): Finding[] {
  if (!/^(?:run|host|have|write|edit)s?$/.test(main) && main !== 'has') return [];
  const object = readObject(clause, clause.verb.main + 1, 8);
  const isChannel =
    object !== undefined &&
    /^(?:\S+ ){0,2}(?:podcast|blog|newsletter|channel|zine|webcomic|website)\b/i.test(object.value);
  return isChannel && /^(?:an?|my|our)$/.test(lowerAt(clause, clause.verb.main + 1))
    ? [toProject(clause, object.value)]
    : [];
}

function findVolunteering(clause: Clause, main: string): Finding[] {
  const isHelp = /^helps?$/.test(main) && lowerAt(clause, clause.verb.main + 1) === 'out';
  if (!/^volunteer(?:s|ing)?$/.test(main) && !isHelp) return [];
  for (let index = clause.verb.main + 1; index < Math.min(clause.end, clause.verb.main + 8); index += 1) {
    if (!/^(?:at|with|for)$/.test(lowerAt(clause, index))) continue;
    const place = readEmployer(clause.sentence.tokens, index + 1, clause.end) ?? readObject(clause, index + 1, 5);
    if (place === undefined) return [];
    const value = place.value.replace(FREQUENCY, '').trim();
    return value === ''
      ? []
      : [toMember(clause, { attribute: 'volunteers_at', value, rule: 'volunteers@1', confidence: 0.8 })];
  }
  return [];
}

/** "I go running every Tuesday", "every Sunday I call my mom": a present tense with how often. */
function findRoutine(clause: Clause, main: string): Finding[] {
  const { tokens } = clause.sentence;
  const end = findPhraseEnd(tokens, clause.verb.main, Math.min(clause.end, clause.verb.main + FREQUENCY_WORDS_MAX));
  const isListed =
    /^and$/.test(lowerAt(clause, end)) &&
    /^(?:mon|tues|wednes|thurs|fri|satur|sun)days$/.test(lowerAt(clause, end + 1));
  const isEnsured = /^makes? sure to$/.test(joinLower(clause, clause.verb.main, 3));
  const from = isEnsured ? clause.verb.main + 3 : clause.verb.main;
  const words = joinTokens(tokens.slice(from, isListed ? end + 2 : end));
  if (words === '' || /\b(?:you|it|this|that|there)\b/i.test(words)) return [];
  const opening = tokens.slice(0, clause.start);
  const isOpened = opening.length > 0 && opening.every(({ pos }) => pos !== 'VERB' && pos !== 'AUX');
  const head = isOpened ? FREQUENCY.exec(joinTokens(opening)) : null;
  const isRising = RISING.test(words.toLowerCase());
  if (NO_ROUTINES.has(main) && !isRising) return [];
  const isRoutine = FREQUENCY.test(words) || isRising || head !== null;
  if (!isRoutine || end - clause.verb.main < 2) return [];
  const value =
    head === null
      ? words
      : `${words} ${head[0].toLowerCase().replace(/(mon|tues|wednes|thurs|fri|satur|sun)day/, (day) => day.slice(0, 1).toUpperCase() + day.slice(1))}`;
  return [{ ...toMember(clause, { attribute: 'routine', value, rule: 'routine@1', confidence: 0.65 }) }];
}

/** "I'm an avid gardener." */
function findKeen(clause: Clause): Finding[] {
  const { main } = clause.verb;
  if (!/^an? (?:avid|keen|passionate|enthusiastic|amateur|hobby)\b/.test(joinLower(clause, main, 2))) return [];
  const object = readObject(clause, main + 2, 3);
  return object === undefined ? [] : [hobby(clause, object.value)];
}

function findPastime(clause: Clause, main: string): Finding[] {
  const { tokens } = clause.sentence;
  const from = clause.verb.main + 1;
  const at = /^(?:the|a|some)$/.test(lowerAt(clause, from)) ? from + 1 : from;
  if (/^(?:plays?|playing)$/.test(main)) {
    const played = readListed(tokens, at, INSTRUMENTS_AND_GAMES);
    return played === undefined ? [] : [hobby(clause, `play ${joinTokens(tokens.slice(from, played.next))}`)];
  }
  if (/^(?:do|does|doing|practi[cs]es?|practi[cs]ing|go|goes)$/.test(main)) {
    const activity = readListed(tokens, at, ACTIVITIES, 1);
    return activity === undefined ? [] : [hobby(clause, activity.value)];
  }
  if (/^collects?$/.test(main)) {
    const object = readObject(clause, from, 4);
    const isThing = object !== undefined && /s$/i.test(object.value) && !/^(?:it|my|the)\b/i.test(object.value);
    return isThing ? [hobby(clause, `${main} ${object.value}`)] : [];
  }
  if (/^sings?$/.test(main) && /^in (?:a|the|my|our)\b/.test(joinLower(clause, from, 2))) {
    return [
      hobby(
        clause,
        joinTokens(
          tokens.slice(
            clause.verb.main,
            Math.min(findPhraseEnd(tokens, clause.verb.main, clause.end), findTimeStart(clause, clause.verb.main)),
          ),
        ),
      ),
    ];
  }
  const isAlone = PASTIME_VERBS.has(main) && (from >= clause.end || readName(tokens, from, clause.end) === undefined);
  return isAlone &&
    /^(?:$|[.,!;]|and|in my (?:free|spare) time|for fun|a lot|as a hobby|on the side|sometimes|often)/.test(
      joinLower(clause, from, 4),
    )
    ? [hobby(clause, main)]
    : [];
}

const hobby = (clause: Clause, value: string): Finding =>
  toMember(clause, { attribute: 'hobby', value, rule: 'pastime@1', confidence: 0.75 });
const toProject = (clause: Clause, value: string): Finding =>
  toMember(clause, { attribute: 'project', value, rule: 'project@1', confidence: 0.7 });
