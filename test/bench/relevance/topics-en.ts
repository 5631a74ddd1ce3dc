import type { Topic } from './topic.ts'

/** A subject of the town of {x}: its question in other words than its answer, and what else is said of it. */
export const TOPICS_EN: readonly [Topic, ...Topic[]] = [
  {
    heading: 'Harbour',
    question: 'How deep is the harbour basin at {x} at low tide?',
    answer:
      'Soundings taken after the last dredging show {n} metres of water in the basin when the tide is out, enough for coasters but not for ferries.',
    reworded:
      'Soundings taken after the last dredging show a depth of {n} metres when the tide is out, enough for coasters but not for ferries.',
    asides: [
      'The harbour master notes each tide in a ledger.',
      'The harbour of {x} was walled in stages.',
      'Boats lie along both quays in winter.',
      'A light marks the end of the mole.',
    ],
  },
  {
    heading: 'Lighthouse',
    question: 'Who paid for building the lighthouse of {x}?',
    answer: 'The tower was paid for by the widow of a shipowner, Maren Tolke, who gave {n} silver crowns.',
    reworded:
      'The tower was financed by the widow of a shipowner, Maren Tolke, who gave {n} silver crowns towards its construction.',
    asides: [
      'The lighthouse of {x} was built of granite that nobody else wanted.',
      'The lighthouse can be climbed on Sundays.',
      'Its lamp was changed from oil to gas, and later to electric light.',
      'Keepers lived at its foot.',
    ],
  },
  {
    heading: 'Railway',
    question: 'Why was the railway line to {x} closed?',
    answer:
      'Passenger trains stopped after a flood washed away a bridge at kilometre {n}, and the line was closed when the company declined to rebuild it.',
    reworded:
      'Passenger trains stopped running after a flood washed away the bridge at kilometre {n}, and the company declined to rebuild it.',
    asides: [
      'Schedules of the railway line hung in every inn of {x}.',
      'The railway arrived late.',
      'The station building is now a library.',
      'Sleepers from the line were used as fences.',
    ],
  },
  {
    heading: 'School',
    question: 'How many pupils does the grammar school in {x} teach today?',
    answer: 'Some {n} pupils are enrolled at present, a third of whom come by boat from the islands.',
    reworded: 'Some {n} children are enrolled at present, a third of whom come by boat from the islands.',
    asides: [
      'The grammar school is proud of its choir, and today of its chess club.',
      'The school was founded by monks.',
      'Its bell comes from a wreck.',
      'Lessons were once held in two languages.',
    ],
  },
  {
    heading: 'Market',
    question: 'On which day is the fish market held in {x}?',
    answer: 'Fish is sold every Thursday from six in the morning, on {n} pitches in front of the weigh house.',
    reworded:
      'Stalls selling the catch go up every Thursday from six in the morning, on {n} pitches in front of the weigh house.',
    asides: [
      'The market was held on a different day under the bishops.',
      'The market square of {x} is paved with ballast stones.',
      'Cheese was sold under the arcades.',
      'A second market was tried and given up.',
    ],
  },
  {
    heading: 'Library',
    question: 'What is the oldest book kept in the library of {x}?',
    answer:
      'The oldest volume on its shelves is a psalter written around the year {n}, bought from a convent for the price of a cow.',
    reworded:
      'The most ancient volume on its shelves is a psalter written around the year {n}, bought from a convent for the price of a cow.',
    asides: [
      'Every book of the library is kept behind glass.',
      'The library lends seeds as well.',
      'Readers have to be silent after noon.',
      'Its catalogue fills two rooms.',
    ],
  },
  {
    heading: 'Bridge',
    question: 'What weight limit applies to lorries on the old bridge of {x}?',
    answer: 'Lorries heavier than {n} tonnes may not cross and have to take the causeway instead.',
    reworded: 'Vehicles heavier than {n} tonnes may not cross and have to take the causeway instead.',
    asides: [
      'The old bridge has no limit of speed, since nobody could drive fast on it.',
      'The bridge of {x} has seven arches.',
      'Anglers stand on it at dusk.',
      'Its parapet was damaged in a storm.',
    ],
  },
  {
    heading: 'Hospital',
    question: 'When does the emergency ward of the hospital in {x} accept patients?',
    answer: 'Emergency cases are admitted around the clock, while the out-patient rooms shut at {n} minutes past five.',
    reworded: 'Urgent cases are admitted around the clock, while the out-patient rooms shut at {n} minutes past five.',
    asides: [
      'Patients of the hospital praise its soup.',
      'The hospital stands on a hill for the sake of its air.',
      'Nurses are trained there.',
      'A garden of herbs belongs to it.',
    ],
  },
  {
    heading: 'Water supply',
    question: 'Where does the drinking water of {x} come from?',
    answer:
      'Taps are fed by a spring in the Korsal valley, {n} kilometres inland, whose water runs through a pipe under the moor.',
    reworded:
      'Taps are fed by a spring in the Korsal valley, {n} kilometres inland, through a pipe laid under the moor.',
    asides: [
      'Drinking from the fountain is not advised.',
      'Water was once sold from carts.',
      'The tower is used by climbers.',
      'Rates are set by the council.',
    ],
  },
  {
    heading: 'Festival',
    question: 'What do visitors throw into the sea at the midsummer festival of {x}?',
    answer:
      'At midnight wreaths of rowan are cast into the sea from the mole, one for each of the {n} sailors lost in the great gale.',
    reworded:
      'At midnight wreaths of rowan are cast from the mole, one for each of the {n} sailors lost in the great gale.',
    asides: [
      'Visitors of the midsummer festival sleep in barns.',
      'The festival lasts three days.',
      'Bands come from all over the country.',
      'Fireworks were banned because of the thatch.',
    ],
  },
  {
    heading: 'Climate',
    question: 'How much rain falls in {x} in an average year?',
    answer: 'Rain amounts to {n} millimetres annually, most of it in the weeks before Christmas.',
    reworded: 'Annual precipitation comes to {n} millimetres, most of it in the weeks before Christmas.',
    asides: [
      'An average day in {x} has a bit of everything.',
      'Snow rarely lies for long.',
      'Fog is common in spring.',
      'The wind blows from the west on most days.',
    ],
  },
  {
    heading: 'Brewery',
    question: 'Which yeast does the brewery of {x} use for its dark beer?',
    answer:
      'The dark beer is fermented with a strain called Holm {n}, which the founder brought home in a bottle from Bergen.',
    reworded:
      'The stout is fermented with a strain called Holm {n}, which the founder brought home in a bottle from Bergen.',
    asides: [
      'The brewery of {x} sells its spent yeast to bakers.',
      'The brewery gives tours.',
      'Its chimney is a landmark.',
      'Barley is grown on the plateau.',
    ],
  },
  {
    heading: 'Museum',
    question: 'How was the whale skeleton in the museum of {x} acquired?',
    answer:
      'The bones of the whale were salvaged from the beach by schoolchildren, who boiled them clean over {n} days.',
    reworded:
      'The bones were salvaged from the beach by schoolchildren, who boiled them clean over {n} days and gave them to the collection.',
    asides: [
      'The museum acquired its clock at an auction.',
      'The museum opens in summer only.',
      'Entrance is free for residents.',
      'A diorama shows the old town.',
    ],
  },
  {
    heading: 'Council',
    question: 'How many votes are needed in the council of {x} to change the budget?',
    answer:
      'Amending the budget once it is adopted takes a majority of {n} members, a rule that dates from the bankruptcy.',
    reworded:
      'Amending the accounts once they are adopted takes a majority of {n} members, a rule that dates from the bankruptcy.',
    asides: [
      'Votes in the council are cast with beans.',
      'The council meets on Mondays.',
      'Its chamber was painted blue.',
      'Minutes are read aloud.',
    ],
  },
  {
    heading: 'Ferry',
    question: 'How long does the ferry crossing from {x} to the islands take?',
    answer:
      'The crossing lasts {n} minutes in fair weather; in a swell the captain goes round the skerries, which doubles it.',
    reworded:
      'Sailing time is {n} minutes in fair weather; in a swell the captain goes round the skerries, which doubles it.',
    asides: [
      'The ferry to the islands was named after a queen.',
      'The ferry carries bicycles free of charge.',
      'Tickets are sold on board.',
      'A second vessel helps in August.',
    ],
  },
  {
    heading: 'Quarry',
    question: 'Which cathedral was roofed with slate from the quarry of {x}?',
    answer: 'Slate split here covers the nave of Sankt Olav, for which {n} cartloads were hauled over the pass.',
    reworded: 'Tiles split here cover the nave of Sankt Olav, for which {n} cartloads were hauled over the pass.',
    asides: [
      'The cathedral of the province has its own quarry.',
      'The quarry is flooded today.',
      'Divers train in it.',
      'Its owners lived in the capital.',
    ],
  },
  {
    heading: 'Dialect',
    question: 'What is unusual about the verbs in the dialect of {x}?',
    answer: 'Speakers put the negation inside the verb itself, a habit that only {n} other villages share.',
    reworded: 'Speakers put the negation inside the verb itself, a habit that only {n} other villages share.',
    asides: [
      'An unusual number of songs is known in the dialect of {x}.',
      'The dialect is taught in evening classes.',
      'A dictionary of it was printed.',
      'Young people mix it with the standard.',
    ],
  },
  {
    heading: 'Fishing rights',
    question: 'Who may set lobster traps off {x}?',
    answer: 'Only households that owned a boat before the enclosure may put out lobster pots, at most {n} each.',
    reworded: 'Only households that owned a boat before the enclosure may put out pots, at most {n} each.',
    asides: [
      'Traps for eels are set in the river by anyone.',
      'Fishing is in decline.',
      'Nets are dried on the common.',
      'An inspector comes twice a year.',
    ],
  },
  {
    heading: 'Cemetery',
    question: 'Why do the gravestones in the cemetery of {x} face inland?',
    answer:
      'The gravestones are turned away from the water because a vicar thought that {n} drowned men would otherwise call to their kin.',
    reworded:
      'The slabs are turned away from the water because a vicar thought that {n} drowned men would otherwise call to their kin.',
    asides: [
      'The cemetery of {x} lies inland of the church.',
      'The cemetery was enlarged.',
      'Yews line its path.',
      'A wall keeps the sheep out.',
    ],
  },
  {
    heading: 'Power station',
    question: 'What fuel does the power station of {x} burn?',
    answer: 'Its boilers burn willow chips, some {n} tonnes a week, grown on land won from the marsh.',
    reworded: 'Its boilers run on willow chips, some {n} tonnes a week, grown on land won from the marsh.',
    asides: [
      'The power station of {x} was built for another fuel.',
      'The power station heats the swimming pool.',
      'Steam drifts over the roofs.',
      'Shares in it belong to the citizens.',
    ],
  },
]

export const FILLERS_EN: readonly [string, ...string[]] = [
  'Nobody in {x} remembers how it came about, and the records of those years were lost when the archive burned.',
  'Opinions differ on this, and letters to the local paper have kept the question alive for decades.',
  'Travellers of the last century described it at length, though seldom with care.',
  'What is certain is that money was short, that winters were long, and that decisions took their time.',
  'A plan to change this was discussed, put off, discussed again and finally forgotten.',
  'People from {x} tell it differently, depending on which side of the river they were born.',
  'The details vary from one account to the next, and the drawings that survive do not agree with any of them.',
  'It is one of the things that guides like to mention and that residents have grown tired of.',
  'Repairs were made whenever there was a surplus, which was not often.',
  'Later writers copied each other, so that a mistake of the first became the tradition of all.',
  'For a while it looked as if everything would go on as before, and then it did not.',
  'Visitors are surprised by it at first and stop noticing it within a week.',
]
