/**
 * How people ask in everyday English, and which words of the trade say the same: `said, said otherwise > meant meant`.
 *
 * One way only: who says `snap` may mean a screenshot, and who says `screenshot` never means a snap. So what is meant can be as
 * rare and exact as names of tools are, without making those words wider. `*` stands for up to three words (`turn * on`). What
 * is meant by a line counts once, by the word of it that says most; each side of a `+` counts for itself. Written from general
 * knowledge of English and of what programs do; some lines were added for misses of test/mcp-servers/requests/dev.txt. The
 * rest of it is in everyday-words-of-machines.ts. Themes and lines are in order of the alphabet.
 */
export const EVERYDAY_WORDS_OF_PEOPLE: Readonly<Record<string, string>> = {
  calendar: `
agenda > calendar event list
appointment, date with, get together, meet up, meetup > event calendar meeting
busy, free slot, free time, open slot, available > freebusy availability free busy calendar event
call off, calls off > cancel delete + event
clock > time current
day off, holiday, vacation > event calendar leave
pencil in, put * in * diary, put * in * calendar > create + event calendar
postpone, push back, put off, bring forward, reschedule, shift > update event move reschedule
remind, reminder > reminder task create schedule
today, tomorrow, tonight, yesterday, this week, next week > date time calendar
`,
  chat: `
answer to, answer under > reply
broadcast, announcement > post message send
channel, chatroom, room > channel conversation
chime in, weigh in, join in > reply comment
direct message, dm > message direct
drop * a line, drop * a message, get in touch, let * know, shoot * a message, ping * on > send post + message
heard, hear > message
in reply, under * message > reply thread
new messages, latest messages, what was said, what people said > history + message channel
react, smile, smiley, thumbs up, applaud > reaction emoji add
teammate, coworker, co-worker, staff, folks, people, guys > user member
who is behind, who is this > get + user profile
who is in, who is on, everybody in, everyone in > list + users members
whole conversation, back and forth > thread conversation replies
`,
  knowledge: `
all you know, everything you know, everything known, whole memory, entire memory > read + graph memory
associated, linked, relate, tied, ties > relation relationship link
forget, unlearn > delete memory
have we got, do we know, do you know, what is known, what do we have > search knowledge query nodes memory
is a friend of, works at, works for, belongs to, is married to > relation + create
is no more, not * any more, not * anymore, does not * anymore > delete remove
jot, scribble, put in writing > note create write
memorize, memorise, remember, recall, keep in mind, bear in mind > memory remember store observation recall
new person, new company > entity + create
no longer true, not true, outdated, wrong about > delete observation update
note it, note that, learned that > observation note + add
reason through, think through, think hard, ponder, mull over, work through, work out, figure out, step by step > thinking sequential reason solve
stuff, things > entity item object list
`,
  language: `
gist, boil down, sum up, in short, in brief, summary, summarise, summarize, shorten > summarize summary
in english, in french, in german, in spanish, other language, another language > translate language
pull out, get out of, take out of, lift > extract
read aloud, read out, say out loud, speak > speech voice audio tts
sounds like, mood, tone > sentiment analyze
spell, spelling > spell check
write out, what is said in, put into words, type up > transcribe transcript text
`,
  mail: `
forward * to, pass on, pass * on > forward send share
inbox > mail email message inbox
letter, mail > email mail message
mass mail, newsletter > email campaign broadcast
outbox, half-written, rough version > draft
reply to * mail, answer * mail > reply email
sign up, subscribe > subscribe register create
unread > unread message list
with a file, attached > attachment
`,
  maps: `
coordinates, latitude, longitude > geocode coordinates reverse
far, how far, distance, how long to drive, drive from > distance directions route matrix
height, how high, above sea > elevation
near, nearby, close to, around here, around > nearby search places
rain, sunny, forecast, umbrella > weather forecast
route, way to, get from, get to > directions route
spot, shop, restaurant, cafe, hotel > place places search
street, postal address, whereabouts, where is > geocode address location
`,
  maths: `
average, mean > average statistics calculate
biggest, largest, heaviest, most > size sort largest top
figures, numbers, stats > statistics data metrics report
how many, number of, tally > count list
total, all in all, altogether, plus > sum add total
`,
  media: `
clip, movie, film > video
draw, sketch, paint > draw image diagram generate
graph, chart, pie, plot > chart graph plot
icon, logo, drawing, artwork, illustration > image icon asset
make * picture, picture of, photo of > image generate create
pictures, photos > image images
show * picture, give * picture, tiny picture, small picture > image get
song, track, tune, podcast > audio music track
turn * into, turn * to > convert transform
`,
  money: `
bill, charge > invoice payment charge
buy, purchase, order > order purchase payment
buyer, client, shopper > customer
discount, voucher > coupon discount
left over, left on, how much is left, how much * left, run out > balance remaining quota credit usage
money back, pay back, give * money > refund
pay, paid > payment pay
`,
  notes: `
article, wiki > page wiki article
diary, journal > note page journal
page is about, title of > title property + page
page under, below > child parent page
put * on * page, add * to * page, at the bottom of, at the end of > append + block children page
thoughts on, what people think, feedback, what * said about > comments comment review
throw * page > delete archive + page
to do, todo, chores, errand > task todo
`,
  projects: `
already reported, reported before, known problem, same problem > search find + issues
ask for changes, request changes, changes requested > review + create
assign, hand * to, give * to, give * a job > assign update
board, kanban > board project
did * pass, did * go through, green > status checks
draft, suggestion, patch > pull request
files touched, touched by > files
hand in, propose * changes, suggest * changes, submit * changes, offer * changes > create + pull request merge
mark * done, mark * solved, set to done, is solved, is fixed > update close + issue
one more person, collaborator > member add invite
open issue, report a bug, file a bug, file a ticket > create + issue
pitch in, contribute > contributor fork
put forward, suggest, propose > create propose pull request
reviewers said, remarks on, remarks * reviewers > comments reviews
say no, turn down, send back > reject decline dismiss request changes
say yes, say yes to, ok, okay, sign off, green light, give * blessing > approve accept review
sort by, tag, sticker, label > label tag
ticket, problem, defect > issue ticket
wrap up, done with, finish off, finished > close complete finish
write * under, say * under, leave * remark, leave * note, leave * comment > comment + add create
`,
  search: `
come across, dig up, hunt, hunt down, hunt for, look around for, search for, seek out, spot, track down, turn up > search find
competitors, rivals > company competitor
dig into, dig deep, deep dive, in depth, read up on, thorough, find out > research search deep investigate
every subpage, subpages, addresses on, addresses of, all links, sitemap > map + urls
every time * changes, when * changes, whenever > monitor watch
google, on the internet, on the web, online, on the net > search web
look up, look * up, look for > search lookup find get
mentions, containing, contains, that mention, that say, with the word > search
news, headlines > news search
on * topic, papers, studies > research search papers
only the prices, only the names, as json, in a structure, structured data > extract structured json
pages of * site, pages on * site, all pages, every page > crawl map + site
similar, resembles, just like > similar related
text of * page, text from * page, page as text, words on * page, words of * page, what * page says > scrape extract content text markdown page
which pages > list map + pages links
who wrote, by whom, authored > author user search blame
whole site, entire site, whole website, all of * site > crawl
`,
  sharing: `
keep * out, lock out, kick out, kick * out, throw * off > remove revoke block ban
let * in, give * access, allow * to, let * see > permission share invite add grant
lock, protect > lock protect permission
log in, sign in, login > login authenticate auth
log out, sign out > logout
me, who am i, my own account, signed in as, logged in as > me user self profile bot
password, passphrase > password credential secret
private, public, visible > visibility permission
`,
  time: `
at home, over there > location
hour, o'clock, what time > time current
how late > time current
time in, time zone, timezone, clock in > timezone convert time
what day, which day > date time current
`,
};
