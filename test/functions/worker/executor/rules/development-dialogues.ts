/**
 * Dialogues of the development set: what a whole source gives, machines' turns and all. Claims as in `development-set.ts`,
 * each with its speaker; `never` lists what no claim may say.
 */
export interface Dialogue {
  name: string;
  text: string;
  claims: readonly string[];
  never: readonly string[];
}

export const DIALOGUES: readonly Dialogue[] = [
  {
    name: 'a plan that comes true and one that does not',
    text: `Lena (2024-03-02T09:00:00+01:00): We're moving to Ghent in May, my boyfriend Joris found a flat.
assistant (2024-03-02T09:00:10+01:00): Congratulations! I live in the cloud.
Lena (2024-03-02T09:01:00+01:00): I'm also going to run the marathon in April.
assistant (2024-03-02T09:01:10+01:00): Both in spring?
Lena (2024-05-20T20:00:00+02:00): Done: we moved to Ghent last week. I didn't run the marathon, my knee said no.
assistant (2024-05-20T20:00:10+02:00): How is the knee?
Lena (2024-05-20T20:01:00+02:00): Better. I wish I had a bike, though.`,
    claims: [
      'Lena|plan=moving to Ghent in May',
      'Lena|family=boyfriend Joris',
      'Lena|plan=run the marathon in April',
      'Lena|lives_in=Ghent',
    ],
    never: ['cloud', 'knee', 'bike'],
  },
  {
    name: 'a change of job, told and retold',
    text: `Omar (2024-01-10T18:00:00+00:00): I work at Northwind as a planner, it's fine.
assistant (2024-01-10T18:00:05+00:00): Only fine?
Omar (2024-01-10T18:01:00+00:00): If I got an offer from Helix I would take it. Should I apply?
assistant (2024-01-10T18:01:05+00:00): Why not.
Omar (2024-04-02T18:00:00+01:00): I quit my job yesterday! I start at Helix on April 15.
assistant (2024-04-02T18:00:05+01:00): Well done.
Omar (2024-04-20T18:00:00+01:00): I started at Helix as a lead planner on Monday.
Omar (2024-04-20T18:01:00+01:00): My sister Dina works there too. She lives in Bath.`,
    claims: [
      'Omar|works_at=Northwind',
      'Omar|works_as=planner',
      'Omar|plan=start at Helix on April 15',
      'Omar|works_at=Helix',
      'Omar|works_as=lead planner',
      'Omar|family=sister Dina',
      'Dina|lives_in=Bath',
    ],
    never: ['offer'],
  },
  {
    name: 'two people in one text, with a pet and an allergy',
    text: `Ines (2024-06-01T12:00:00+02:00): My brother Hugo is allergic to cats, so of course he adopted one last month.
Pat (2024-06-01T12:01:00+02:00): I'm allergic to cats, too, and I have two: Salt and Vinegar.
Ines (2024-06-01T12:02:00+02:00): I don't have pets. I'd love a tortoise.
Pat (2024-06-01T12:03:00+02:00): My wife is vegan and I can't stand tofu. Imagine that.
Pat (2024-06-01T12:04:00+02:00): Imagine we have a restaurant. I am the cook and I live in the kitchen.`,
    claims: [
      'Ines|family=brother Hugo',
      'Hugo|allergy=cats',
      'Pat|allergy=cats',
      "Pat's wife|diet=vegan",
      'Pat|dislikes=tofu',
    ],
    never: ['tortoise', 'restaurant', 'kitchen', 'cook'],
  },
  {
    name: 'a joke taken back, a text to translate, a quotation',
    text: `Rob (2024-09-01T10:00:00-05:00): I moved to the moon yesterday. Just kidding, I live in Tulsa.
Rob (2024-09-01T10:01:00-05:00): Translate this for me:
  I live in Berlin and I work at Siemens.
  My sister Greta has a dog named Hasso.
Rob (2024-09-01T10:02:00-05:00): My neighbor said "I hate Tulsa". I love it here, mostly.
Rob (2024-09-01T10:03:00-05:00): I have a son named Eli, he turned nine on Friday.`,
    claims: ['Rob|lives_in=Tulsa', 'Rob|family=son Eli', 'Eli|age=9'],
    never: ['moon', 'Berlin', 'Siemens', 'Greta', 'Hasso'],
  },
  {
    name: 'times around midnight, and a southern summer',
    text: `Kiri (2024-10-07T00:10:00+13:00): I live in Wellington. I broke my toe last night.
assistant (2024-10-07T00:10:30+13:00): Ouch.
Kiri (2024-10-07T00:11:00+13:00): We went to Fiji last summer and I broke the other one.
Kiri (2024-10-07T00:12:00+13:00): I'm seeing the doctor tomorrow.`,
    claims: [
      'Kiri|lives_in=Wellington',
      'Kiri|event=broke my toe last night @2024-10-06',
      'Kiri|event=went to Fiji last summer @2023-12-01',
      'Kiri|plan=seeing the doctor tomorrow @2024-10-08',
    ],
    never: [],
  },
];
