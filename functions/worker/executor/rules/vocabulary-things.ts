/** The closed lists of things: what people speak, play, drive, use, have and suffer from. All lower case. */

const words = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/));
const phrases = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s*,\s*/));
const pairs = (list: string): ReadonlyMap<string, string> =>
  new Map(
    list
      .trim()
      .split(/\s+/)
      .map((pair) => pair.split(':') as [string, string]),
  );

export const LANGUAGES = words(`
  english spanish french german italian portuguese dutch swedish norwegian danish finnish icelandic polish czech slovak
  hungarian romanian bulgarian greek turkish russian ukrainian serbian croatian bosnian slovenian albanian estonian
  latvian lithuanian arabic hebrew persian farsi urdu hindi punjabi bengali gujarati marathi tamil telugu kannada
  malayalam sinhala nepali mandarin cantonese chinese japanese korean vietnamese thai tagalog filipino indonesian malay
  swahili yoruba igbo hausa amharic somali zulu xhosa afrikaans irish welsh gaelic catalan basque galician latin
  esperanto asl creole maltese georgian armenian azerbaijani kazakh uzbek mongolian`);

export const DEMONYMS = words(`
  american british english scottish welsh irish canadian australian french german italian spanish portuguese dutch
  belgian swiss austrian swedish norwegian danish finnish icelandic polish czech slovak hungarian romanian bulgarian
  greek turkish russian ukrainian serbian croatian bosnian slovenian albanian estonian latvian lithuanian egyptian
  moroccan algerian tunisian nigerian ghanaian kenyan ethiopian ugandan tanzanian zimbabwean lebanese syrian iraqi
  iranian persian israeli palestinian saudi indian pakistani bangladeshi nepali chinese taiwanese japanese korean
  vietnamese thai filipino filipina indonesian malaysian singaporean mexican brazilian argentinian argentine chilean
  colombian peruvian venezuelan ecuadorian bolivian uruguayan cuban jamaican dominican haitian maltese`);

/** Places people also write without a capital; the second list lies south of the equator. */
export const KNOWN_PLACES = phrases(`
  london, paris, berlin, madrid, rome, lisbon, dublin, vienna, amsterdam, brussels, copenhagen, stockholm, oslo, helsinki,
  reykjavik, warsaw, prague, budapest, athens, istanbul, moscow, kyiv, barcelona, valencia, seville, porto, munich,
  hamburg, cologne, frankfurt, leipzig, zurich, geneva, milan, naples, turin, lyon, marseille, manchester, leeds,
  bristol, edinburgh, glasgow, liverpool, birmingham, sheffield, brighton, cardiff, belfast, new york, brooklyn, boston,
  chicago, seattle, portland, denver, austin, dallas, houston, atlanta, miami, los angeles, san francisco, san diego,
  oakland, phoenix, philadelphia, toronto, montreal, vancouver, ottawa, calgary, tokyo, osaka, kyoto, seoul, beijing,
  shanghai, hong kong, taipei, singapore, bangkok, hanoi, manila, delhi, mumbai, bangalore, chennai, kolkata, hyderabad,
  pune, karachi, lahore, dhaka, dubai, tel aviv, cairo, lagos, accra, mexico city, texas, california, florida, oregon,
  colorado, ohio, michigan, london, england, scotland, wales, ireland, france, germany, spain, italy, portugal, sweden,
  norway, denmark, finland, poland, austria, switzerland, canada, mexico, japan, china, india, nigeria, ghana, egypt`);
export const SOUTHERN_PLACES = phrases(`
  sydney, melbourne, brisbane, perth, adelaide, hobart, canberra, darwin, cairns, australia, tasmania, queensland,
  auckland, wellington, christchurch, dunedin, new zealand, cape town, johannesburg, durban, pretoria, south africa,
  buenos aires, córdoba, argentina, santiago, valparaíso, chile, montevideo, uruguay, são paulo, sao paulo,
  rio de janeiro, curitiba, porto alegre, lima, cusco, peru, la paz, bolivia, asunción, paraguay, maputo, harare,
  zimbabwe, windhoek, namibia, gaborone, botswana, antananarivo, madagascar, fiji, suva`);

export const INSTRUMENTS_AND_GAMES = phrases(`
  piano, guitar, bass, bass guitar, electric guitar, acoustic guitar, violin, viola, cello, double bass, flute, clarinet,
  oboe, saxophone, sax, trumpet, trombone, tuba, french horn, drums, harp, ukulele, banjo, mandolin, accordion, organ,
  harmonica, recorder, keyboard, fiddle, tennis, table tennis, football, soccer, basketball, volleyball, beach volleyball,
  badminton, squash, padel, pickleball, hockey, ice hockey, field hockey, rugby, cricket, baseball, softball, golf,
  lacrosse, handball, water polo, darts, pool, snooker, chess, go, bridge, poker, scrabble, board games, video games,
  dungeons and dragons, d&d, minecraft, ultimate frisbee, bowls, petanque, tabletop games, card games`);

export const ACTIVITIES = words(`
  running jogging climbing bouldering hiking swimming cycling biking skiing snowboarding surfing sailing rowing kayaking
  fishing hunting birdwatching birding dancing bowling skating kitesurfing diving scuba horseback camping gardening
  knitting crocheting sewing quilting pottery painting drawing sketching woodworking baking cooking photography yoga
  pilates karate judo aikido taekwondo crossfit boxing kickboxing fencing gymnastics calligraphy origami archery
  improv weightlifting jiu-jitsu meditation genealogy astronomy singing`);
/** Verbs that name a pastime by themselves: "I knit", "I paint". */
export const PASTIME_VERBS = words('knit crochet quilt garden paint sketch fence surf ski climb blog podcast journal');

export const DIETS = words(`
  vegan vegetarian pescatarian pescetarian flexitarian keto paleo halal kosher gluten-free dairy-free sugar-free low-carb
  raw-vegan plant-based omnivore carnivore teetotal`);

/** Employers people also write without a capital. */
export const KNOWN_EMPLOYERS = words(`
  google amazon microsoft facebook netflix ikea tesla nike starbucks walmart spotify airbnb uber nvidia intel ibm oracle
  siemens bosch deloitte accenture mcdonalds tesco aldi lidl nokia ericsson samsung sony toyota boeing nasa`);

/** What people say they do not eat or drink. */
export const FOODS = words(`
  meat beef pork chicken poultry fish seafood shellfish shrimp prawns lamb bacon ham sausage eggs egg dairy milk cheese
  butter cream yogurt yoghurt gluten wheat bread pasta rice sugar sweets chocolate candy dessert honey nuts peanuts
  soy tofu mushrooms onions garlic tomatoes eggplant aubergine peppers olives cilantro coriander spinach kale broccoli
  beans lentils corn potatoes carbs salt spice alcohol wine beer coffee caffeine tea soda cola juice gelatin gelatine
  mayonnaise mustard fruit vegetables bananas strawberries pineapple avocado coconut sushi oysters liver offal`);

/** Health conditions by their last word, or alone. */
export const CONDITIONS = words(`
  asthma diabetes epilepsy migraine migraines arthritis eczema psoriasis adhd add ocd ptsd autism dyslexia dyscalculia
  depression anxiety insomnia tinnitus vertigo scoliosis sciatica endometriosis pcos ibs crohn's colitis celiac coeliac
  hypertension hypothyroidism hyperthyroidism anemia anaemia fibromyalgia lupus glaucoma cataracts cancer leukemia
  hemophilia narcolepsy rosacea hayfever gout osteoporosis parkinson's alzheimer's dementia hiv hepatitis tourette's
  narcolepsy apnea apnoea bronchitis allergies reflux hernia pacemaker lymphoma angina arrhythmia sclerosis neuropathy
  bursitis tendonitis tendinitis shingles`);
export const CONDITION_PHRASES =
  /^(?:type (?:1|2|one|two) diabetes|(?:a )?(?:bad|weak|dodgy|sore|trick) (?:back|knee|shoulder|ankle|hip|heart)|high blood pressure|low blood pressure|hay fever|chronic (?:pain|fatigue|migraines?|back pain)|(?:a )?heart (?:condition|murmur)|(?:a )?hearing (?:loss|aid)|multiple sclerosis|long covid|sleep apno?ea|bipolar disorder|(?:a )?thyroid (?:condition|problem|disorder)|lyme disease|(?:celiac|coeliac|crohn's|kidney|heart|liver) disease|restless legs?|(?:a )?slipped disc|carpal tunnel)\b/;
export const CONDITION_ADJECTIVES = words(`
  diabetic asthmatic dyslexic autistic epileptic anemic anaemic celiac coeliac colorblind colourblind color-blind
  colour-blind deaf blind nearsighted farsighted bipolar pregnant immunocompromised claustrophobic arachnophobic insomniac
  neurodivergent hypertensive`);

/** Things that are owned for years, by their last word. */
export const DURABLES = words(`
  house apartment flat condo cottage cabin farm boat sailboat canoe kayak yacht caravan campervan camper van truck car
  motorbike motorcycle scooter moped bike bicycle e-bike piano guitar violin cello telescope greenhouse allotment
  laptop desktop tablet phone smartphone camera drone printer 3d-printer kiln loom synthesizer synth turntable treadmill
  tesla toyota honda ford volvo volkswagen bmw audi mazda subaru kia hyundai nissan jeep vespa fiat renault peugeot
  skoda mini prius macbook thinkpad iphone ipad pixel kindle playstation ps5 xbox switch chromebook sofa dishwasher
  fridge espresso-machine tractor trailer motorhome rv land vineyard orchard garden beehives bakery café cafe
  bookshop bookstore restaurant salon studio watch smartwatch`);
export const VEHICLES = words(`
  car truck van pickup suv sedan hatchback minivan motorbike motorcycle scooter moped bike tesla toyota honda ford volvo
  volkswagen vw bmw audi mazda subaru kia hyundai nissan jeep vespa fiat renault peugeot skoda mini prius civic corolla
  golf polo bus taxi tractor lorry camper ev hybrid`);
/** Tools that are also written without a capital. */
export const TOOLS = words(`
  linux ubuntu debian fedora arch macos windows vim neovim emacs vscode python javascript typescript rust go golang java
  kotlin swift ruby postgres postgresql mysql sqlite redis docker kubernetes terraform react vue svelte django rails
  notion obsidian figma excel photoshop blender ableton git github gitlab iphone android macbook thinkpad`);
/** What a device is called after "my", with the attribute its name fills. */
export const DEVICES = pairs(`
  phone:uses laptop:uses computer:uses tablet:uses editor:uses browser:uses keyboard:uses camera:uses car:drives
  bike:owns bicycle:owns watch:owns truck:drives van:drives motorbike:drives motorcycle:drives`);

/** Fields one works in. */
export const FIELDS = phrases(`
  marketing, finance, accounting, banking, insurance, tech, it, software, healthcare, health care, education, construction,
  retail, sales, hr, human resources, logistics, advertising, publishing, journalism, hospitality, catering, tourism,
  agriculture, law, real estate, research, academia, biotech, pharma, engineering, manufacturing, media, film,
  television, fashion, design, architecture, consulting, government, politics, customer service, customer support,
  cybersecurity, data science, machine learning, public health, social work, childcare, animation, gaming, energy,
  renewable energy, transport, aviation, procurement, product management, project management, quality assurance`);

/** Nouns that come with a date of their own: "I have an interview on Monday", "our wedding is on June 5". */
export const APPOINTMENTS = words(`
  appointment interview exam exams meeting flight surgery operation wedding graduation concert recital presentation
  deadline test checkup check-up party race marathon half-marathon trip holiday vacation move closing defense defence
  audition tournament match reunion conference ultrasound scan procedure performance show exhibition ceremony
  retirement shower funeral barbecue bbq workshop call review tickets reservation booking class lesson session gig date shift viewing lease contract visa passport semester internship sabbatical baby`);
