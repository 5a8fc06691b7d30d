/** The closed word lists of the rules. All lower case; a word is looked up by its Unicode lower case. */

const words = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/));

/** Speakers that are machines, or nobody known: what they say is never a claim about anybody. */
export const NO_PERSONS = words('assistant system tool agent bot nightjar unknown');

/** Adverbs that may stand between a subject and its verb without changing what is said. */
export const PLAIN_ADVERBS = words(`
  really just still now also always actually originally currently finally recently both already absolutely definitely totally severely mildly deathly terribly deeply properly
  truly simply all mostly even then officially literally happily usually often sometimes generally quite so very
  completely genuinely honestly secretly only mainly clearly soon again temporarily suddenly kinda lately here`);

/** Words that take the certainty out of a clause: no claim. */
export const HEDGES = words(`
  almost nearly maybe perhaps possibly probably supposedly allegedly hopefully apparently practically basically
  theoretically ideally hypothetically`);

export const NEGATIONS = words('not never hardly barely rarely seldom nor neither nobody');
export const MODALS = words('would could should might may must can ca cannot ought');

/** Before a subject, these make everything after them hypothetical. */
export const HYPOTHETICALS = words(`
  if unless whether suppose supposing imagine wish wishes wishing wonder wondering pretend pretending hypothetically
  maybe perhaps hopefully probably hope hoping`);

/** Right before "I", these report what somebody thinks or says. */
export const REPORT_VERBS = words(`
  think thinks thought thinking say says said saying tell tells told telling believe believes believed guess guessed
  assume assumes assumed hear heard dream dreamt dreamed claim claims claimed joke joked joking swear feel felt
  bet figure figured reckon according true false untrue lie rumor rumour myth suspect suspected pretend pretended imagined wish wished hope hoped doubt doubted
  wonder wondered asked asks ask suggested suggests insisted insists expect expected fear feared sure certain`);

export const AUXILIARIES = words(
  'do does did am is are was were will would can could should have has had may might must shall',
);
export const QUESTION_WORDS = words('what where why how who whom whose which whether that');
export const TIME_CONJUNCTIONS = words('when whenever before after until till while once as since');

/** Words that end a phrase or a clause when they follow it. */
export const CLAUSE_BREAKS = words(`
  and but or so because since while when whenever where which who whom whose that although though if unless then
  until till after before as than yet plus except whereas hence therefore`);

/** Capitalised or not, these are never part of a name. */
export const NEVER_NAMES = words(`
  i we you he she it they me us him her them my our your his its their this that these those the a an and but or so
  because since while when where which who if then now here there in on at for with from to of by about not no yes
  ok okay hey hi hello thanks thank please lol also just still today tomorrow yesterday last next every mr mrs ms dr
  what why how is are was were am be been have has had do does did will would can could may might`);

/** Written with a capital but no place: what teams move to. Mixed-case and all-capital words are refused by shape. */
export const NO_PLACES = words(`
  typescript javascript python java rust golang go ruby kotlin swift scala react angular vue svelte node deno bun linux
  windows android docker kubernetes kafka redis postgres postgresql mysql mongo mongodb dynamo dynamodb terraform azure
  github gitlab slack teams zoom notion jira figma excel word outlook gmail google facebook instagram twitter whatsapp
  signal telegram discord spotify netflix product engineering marketing sales finance legal operations plan phase level
  stage step monday sunday chrome firefox safari django rails flask express lambda serverless agile scrum english german
  french spanish italian japanese vim emacs obsidian`);

/** All capitals and still a place. */
export const CAPITAL_PLACES = words('nyc la dc uk usa us uae sf');

/** Kin by the word people use; plural forms are read apart. */
export const KIN = words(`
  mother mom mum mama father dad papa sister brother son daughter wife husband partner girlfriend boyfriend fiancé
  fiancée fiance fiancee spouse grandmother grandma nana grandfather grandpa granddad aunt auntie uncle cousin niece
  nephew twin stepmother stepmom stepfather stepdad stepson stepdaughter stepbrother stepsister grandson granddaughter
  mother-in-law father-in-law sister-in-law brother-in-law parents grandparents in-laws kids children family`);
export const KIN_PLURALS: ReadonlyMap<string, string> = new Map([
  ...[...KIN]
    .filter((kin) => !kin.includes('-') && !/s$|children/.test(kin))
    .map((kin): [string, string] => [kin === 'wife' ? 'wives' : `${kin}s`, kin]),
  ['kids', 'kid'],
  ['children', 'child'],
  ['kid', 'kid'],
  ['child', 'child'],
  ['siblings', 'sibling'],
  ['sibling', 'sibling'],
  ['toddler', 'child'],
  ['grandchildren', 'grandchild'],
  ['grandkids', 'grandchild'],
]);
/** Whom "he" and "she" can mean; kin not listed here can be either. */
export const MALE_KIN = words(`
  father dad papa brother son husband boyfriend fiancé fiance grandfather grandpa granddad uncle nephew stepfather
  stepdad stepson stepbrother grandson father-in-law brother-in-law`);
export const FEMALE_KIN = words(`
  mother mom mum mama sister daughter wife girlfriend fiancée fiancee grandmother grandma nana aunt auntie niece
  stepmother stepmom stepdaughter stepsister granddaughter mother-in-law sister-in-law`);

/** Everyday words for kin, each with the one its claims use, so that mom and mum are one person. */
export const KIN_FORMAL: ReadonlyMap<string, string> = new Map([
  ['mom', 'mother'],
  ['mum', 'mother'],
  ['mama', 'mother'],
  ['dad', 'father'],
  ['papa', 'father'],
  ['grandma', 'grandmother'],
  ['nana', 'grandmother'],
  ['grandpa', 'grandfather'],
  ['granddad', 'grandfather'],
  ['auntie', 'aunt'],
  ['stepmom', 'stepmother'],
  ['stepdad', 'stepfather'],
  ['fiance', 'fiancé'],
  ['fiancee', 'fiancée'],
  ['children', 'kids'],
]);

/** People one names without being kin: they make the name known as a person's, and give no claim of their own. */
export const ACQUAINTANCES = words(
  'friend friends colleague coworker co-worker boss manager neighbour neighbor flatmate roommate housemate teacher mentor teammate bandmate classmate buddy mate supervisor landlord therapist doctor ex',
);

export const KIN_ADJECTIVES = words(
  'older younger little big elder twin baby oldest youngest eldest dear best new old middle kid half only own lovely wonderful whole entire amazing beautiful brilliant foster adopted adoptive maternal paternal current future',
);

/** Pets, each with the word its claim uses, so that the puppy of March is the dog of May. */
export const PETS: ReadonlyMap<string, string> = new Map(
  `dog:dog puppy:dog pup:dog cat:cat kitten:cat kitty:cat rabbit:rabbit bunny:rabbit hamster:hamster parrot:parrot
   budgie:budgie canary:canary goldfish:goldfish turtle:turtle tortoise:tortoise horse:horse pony:pony lizard:lizard
   gecko:gecko snake:snake ferret:ferret greyhound:dog labrador:dog beagle:dog dachshund:dog poodle:dog terrier:dog
   retriever:dog collie:dog corgi:dog husky:dog bulldog:dog chihuahua:dog spaniel:dog pug:dog schnauzer:dog
   dalmatian:dog rottweiler:dog boxer:dog whippet:dog mutt:dog pooch:dog doggo:dog tabby:cat tomcat:cat hen:hen
   goat:goat donkey:donkey parakeet:parakeet cockatiel:cockatiel cockatoo:cockatoo
   gerbil:gerbil hedgehog:hedgehog chinchilla:chinchilla iguana:iguana axolotl:axolotl tarantula:tarantula
   alpaca:alpaca foal:horse mare:horse macaw:parrot`
    .trim()
    .split(/\s+/)
    .map((pair) => pair.split(':') as [string, string]),
);

/** Nouns that name an occupation; a role is an article, up to three words, and one of these as its last word. */
export const ROLES = words(`
  accountant actor actress analyst anthropologist archaeologist architect artist astronomer author baker barber barista
  bartender biologist bookseller botanist builder butcher carpenter cashier chef chemist cleaner clerk coach composer
  consultant contractor cook copywriter counsellor counselor curator dancer dentist designer developer director doctor
  driver ecologist economist editor electrician engineer farmer filmmaker firefighter florist gardener geologist
  geophysicist hairdresser historian illustrator interpreter janitor journalist judge lawyer lecturer librarian
  machinist manager mathematician mechanic midwife musician nurse nutritionist optician painter paramedic pastor
  pediatrician paediatrician pharmacist photographer physicist physiotherapist pianist pilot planner plumber
  policeman policewoman postman potter producer professor programmer psychiatrist psychologist realtor receptionist recruiter
  reporter researcher sailor salesperson scientist sculptor secretary singer solicitor statistician surgeon surveyor
  tailor teacher technician therapist tester translator trainer tutor vet veterinarian waiter waitress welder writer
  zoologist apprentice intern freelancer practitioner student trainee dietitian veterinary radiologist cardiologist dermatologist
  anesthesiologist anaesthetist neurologist oncologist gp geneticist meteorologist sociologist mathematician roofer
  landscaper mason blacksmith bricklayer locksmith seamstress beekeeper winemaker brewer cartographer animator
  cinematographer screenwriter novelist poet playwright violinist cellist drummer guitarist conductor dj model
  comedian magician chauffeur courier steward stewardess detective bailiff solicitor barrister paralegal notary
  diplomat ambassador mayor councillor politician soldier officer sergeant captain nanny au-pair caretaker janitor
  caregiver carer doula podiatrist optometrist audiologist hygienist phlebotomist radiographer sonographer
  administrator assistant associate strategist marketer buyer broker banker trader auditor actuary underwriter
  bookkeeper treasurer ceo cto cfo founder co-founder entrepreneur supervisor foreman superintendent principal
  headteacher dean lead specialist representative operator programmer sysadmin devops ranger warden guide lifeguard
  butler housekeeper stylist beautician masseuse masseur fisherman fisherwoman rancher shepherd logger miner
  miller weaver shoemaker cobbler jeweler jeweller upholsterer glazier plasterer decorator electrician fitter
  dispatcher controller coordinator organizer organiser fundraiser lobbyist evangelist ux copyeditor proofreader
  subeditor columnist correspondent presenter broadcaster podcaster vlogger youtuber influencer blogger gamer
  athlete footballer cyclist jockey referee umpire`);

/** Nouns that name a workplace, for "at a bakery" without a proper name. */
export const WORKPLACES = words(`
  academy agency airport archive bakery bank bar bistro bookshop bookstore brewery cafe café charity church clinic
  college company consultancy council court dealership embassy factory farm firm foundation gallery garage gym hospital
  hotel kindergarten lab laboratory library ministry museum newspaper nonprofit nursery observatory orchestra pharmacy
  pub publisher radio restaurant salon school shop startup start-up store studio supermarket theatre theater university
  warehouse workshop zoo hospice agency bookstore practice surgery nursery shelter market lab studio ngo cooperative co-op`);

/** Past forms of irregular verbs that tell what happened. Regular ones end in -ed. */
export const IRREGULAR_PASTS = words(`
  went got bought sold built broke began became came caught chose drove fell flew found gave grew held kept left lost
  made met paid quit ran rode sang saw sent set shot slept spent stood started swam swapped taught threw took won wore
  wrote had hurt cut drew ate drank hosted did`);

/** Past forms that tell a state of mind, a saying or a habit rather than something that happened. */
export const NO_EVENTS = words(`
  thought said told felt knew wanted needed hoped wished liked loved hated believed guessed assumed meant seemed looked
  wondered used tried considered decided planned noticed realized realised figured mentioned asked remembered forgot
  understood expected imagined agreed supposed called need feed speed bleed breed seed weed indeed was were being did been heard talked stayed promised`);

/** Verbs of a plan that is worth keeping even when no time is named. */
export const PLAN_VERBS = words(`
  move moving start starting join joining visit visiting travel travelling traveling marry buy buying adopt adopting
  quit quitting leave leaving study studying fly flying get getting sell selling retire retiring apply applying run
  running learn learning take taking join enrol enroll propose retrain remodel paint write submit launch publish see meet
  throw throwing organise organize plant walk cycle climb volunteer volunteering expecting turning seeing meeting giving presenting defending teaching racing performing
  playing attending speaking launching releasing publishing closing renting hiring welcoming competing retaking
  interviewing spending staying driving running babysitting sailing camping painting seeing finishing graduating
  relocate relocating walking cycling climbing hiking volunteering go move have having do doing work working begin beginning open opening go going build building renovate spend drive
  switch switching change changing celebrate host hosting return returning train training hike hiking sign`);

export const LIKE_VERBS = words('love like adore enjoy loves likes adores enjoys');
export const DISLIKE_VERBS = words('hate dislike despise detest loathe hates dislikes despises detests loathes');
