/** What everyday-words-of-people.ts is for people and what they write, for programs and what they run on; it says how lines are read. */
export const EVERYDAY_WORDS_OF_MACHINES: Readonly<Record<string, string>> = {
  browser: `
agree to * box, answer * box, box asks, page asks, popup > dialog handle
appears, shows up, turns up on > wait appear text
back button, previous page, page before > back navigate
box * asks > dialog handle
bring up, pull up > open show get navigate
can be clicked, clickable, elements of * page, elements on * page > snapshot
choose from * list, option > select option
click, tap, press > click press
cookie > cookie storage
dark mode > emulate color scheme
double click > click double
drag and drop, drag > drag drop
drop in * box, enter into > type fill
fill in, fill out, fill * in, fill * out > fill form type
first page, home page, landing page > navigate page
go over, mouse over, point at, rest on > hover
go to, head to, head over to, surf to > navigate open
hit enter, keystroke, shortcut > press key keyboard
list box, pick list, combo box, drop-down > select option
lost connection, no internet > offline network emulate
mobile, phone screen, tablet > emulate device viewport resize
mouse > click hover mouse
narrow, wider, bigger window, smaller window, window size, screen size > resize window viewport
paste > fill type
pick * file, give * file > upload file
pick * from, choose * from > select option
press * button, push * button > click button
refresh, reload > reload navigate
run * in * page > evaluate script
saw * page, accessibility tree > snapshot
scroll > scroll mouse evaluate
see * page, page looks > snapshot screenshot page
shut > close
sign in form, login form, order form > fill + form
slide, slider, pull * slider, pull * onto, move * onto > drag
snap, shot, screen grab, screengrab > screenshot capture
take * picture, take * photo, picture of * page, grab * picture, photograph > screenshot capture image
tick * box, tick * off > check checkbox
type in, key in, type * in, type into > type fill
web address > url navigate
`,
  cloud: `
bucket > bucket storage object
cloud > cloud resource
fire up, boot, boot up, spin up, bring * up, kick off, start up, power up, get * going > start run launch create deploy
go live, ship, roll out, put live, push live, push out, release > deploy publish release
live > production deploy
put on the server > deploy upload
roll back, go back to * version > rollback revert restore
shut down, power off, take down, turn * off, bring * down, tear down, switch * off > stop delete shutdown down
spend, spending > cost billing usage
`,
  code: `
bring * up to date > update pull upgrade merge
bugs, bug > issue bug
code base, source code > code repository source
command line, shell, terminal > command shell terminal execute
compile > build compile
crash, blow up, blows up, break, broken, goes wrong, went wrong, fall over > error exception failure crash
dependency, package, library > package library dependency
documentation, manual, guide, how-to, instructions, readme > docs documentation library guide readme
how do i use, how to use, how does * work > documentation docs
snippet, piece of code, bit of code, lines of code > code snippet script
spot * mistakes, typos > diagnostics lint check
step through, debug > debug debugger
tidy, clean up, neaten, beautify > format lint clean
try out, try > run test execute
unit test, tests > test
`,
  containers: `
disk of, disk for > volume
docker, kubernetes > container pod image
download * image > pull + image
get inside, go inside > exec container
what is running, running now, still running > list status + running container process
`,
  databases: `
cells, cell > cell range
column, columns, fields > column schema field describe
database, db > database table sql schema
kind of data, how * is organized, how * is laid out, shape of, what * made of > schema describe structure
lookup > query search get
pull * data, pull * from > query read select fetch
row, rows, records, entries > row record query
run * against > query execute
spreadsheet, sheet, excel, workbook > sheet spreadsheet workbook cell range
tables exist, which tables > list + tables
wipe, empty, clear out, zap > delete truncate clear drop
`,
  files: `
a few files, several files, many files, all these files, both files, two files, three files > multiple + files
attributes, how old, last changed, last touched, when was * changed > info metadata stat file modified
bin, chuck, ditch, dump, scrap, trash, junk, throw out > delete remove trash
characters, letters > text
copy over, copies of > copy
create * file, new file, start * file, make * file > write create + file
create * folder, new folder > create + directory mkdir
disk, drive, hard drive > disk drive file directory storage
document, doc, pdf, paper > document file
drop * into, place * in > move upload write
every * by, every * with, all * by > edit replace
everything in, everything inside, everything under, what is in, contents > list contents directory tree read
extension, ending in, named like, called > search find name pattern glob
first few lines, first lines, top of, beginning > head read
folder, folders, dir > directory folder
hierarchy, nested, subfolders, overview > tree hierarchy structure
how much room, how much space, takes up > size sizes
if there is no, make sure * exists > create
jpg, jpeg, png, gif > image media
last few lines, last lines, tail, end of > tail read
leave off > stop
may i touch, allowed to touch, may touch, can touch, am allowed > allowed permissions list
new name, another name, different name > move rename
peek, glance, have a look, take a look, look at, look inside, look into, check out > read view get show
relocate, shift * to, stick * in > move
save * as, store * in > write save
squash, shrink, zip up, pack, bundle > compress zip archive
swap, substitute, exchange > replace edit
tweak, amend, adjust, polish, touch up, alter, revise, rework > edit update modify
two versions, what is different, differences, what changed, changes between > diff compare changes
unpack, unzip, decompress > extract unzip decompress
where * allowed > allowed
`,
  logs: `
behind the scenes, over the wire > network request log
complain, complaint, grumble, moan > error warning console message log
hiccup, glitch, outage, down, trouble > incident error alert status
kept from, past, so far, earlier, recent, latest, newest > history recent latest list log
printed, prints > console log output
red, red text > error
ring the bell, warn, page me > alert notification
stack trace > error exception stack
`,
  network: `
hook up, hook * up, plug in, wire up, tie * together, tie * to, link up > connect link relation
is * alive, is * up, still there, respond > ping health status
loaded, fetched, downloads > network request resource
slow line, slow connection, bad connection > network throttle emulate
went out, gone out, goes out, sent off, sent out > request network sent
what came back, what comes back, server said, server says > response request
`,
  performance: `
accessible, blind, screen reader > accessibility audit
hog, eats up, eating up > memory usage cpu
how fast, how quickly, load time, loading time > performance trace
leak, leaks > memory heap snapshot
makes * slow, so slow, too slow, sluggish, takes so long, takes forever, taking so long, drag on > performance trace analyze insight slow
quality, how good > audit lighthouse
slower, like a slow > throttle emulate cpu
speed up, faster, quick, fast, snappy > performance optimize speed trace
`,
  running: `
all over again, once more, another go, start over > retry restart rerun repeat
by itself, on its own, every day, every hour, every night, regularly > schedule cron automation
call it off, knock it off, give up, pull the plug, halt, kill > stop cancel abort kill terminate
go ahead, carry on, keep going, proceed > continue resume
hang on, hold off, give it a moment, give * time, sit tight, pause, until > wait sleep pause
how far along, how far, how is * going, how * getting on, how is * doing, is * done, done yet, finished yet, ready yet > status check progress get
in the background, meanwhile > background async
let * finish > wait
work, job > task job process
`,
  simulating: `
as if, act as, act like, make believe, pose as > emulate simulate
made up, dummy, sample, fake > mock sample generate test
parrot, say * back, same words back, send * back, give * back > echo
settings of * machine, settings of * server > env environment
takes a while, takes long, lasts > long running operation
`,
  versioning: `
ancestor, before * changed, older version, earlier version, who changed > history commit log blame
branch off, side line, line of work > branch create
bring * in, bring in, fold in, put * into main, blend, take in > merge
check in, save my work, save * work, record * changes > commit
copy of * repository, own copy, my own copy > fork clone
get the newest, get the latest, bring down > pull fetch update
go back to, undo, take back, put back, roll * back, reverse > revert undo reset restore checkout
new version of * file > update + file
put * into a repository, put * into the repository > push create + file
put aside, set aside > stash
send * up, upload * changes > push
staged, about to be saved > diff staged
switch to, jump to, change to, hop to > checkout switch select
untouched, pending, not saved, unsaved > status unstaged diff
version, milestone > release tag version
what has been done, latest changes, last changes > commits history + list
`,
};
