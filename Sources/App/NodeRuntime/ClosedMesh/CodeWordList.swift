/// The words of codes: 2,048, so that each is worth 11 bits.
///
/// They are easy to say over an intercom and to spell: 3 to 6 letters of a to z. No two have the same first four
/// letters, and hardly any sounds like another word that is spelled differently. `init` takes codes from them. A code
/// of other words is as good, so nothing breaks if the list changes.
package enum CodeWordList {
    /// How many letters a word has.
    static let letterCounts = 3...6
    package static let all: [String] = text.split { $0 == " " || $0 == "\n" }.map(String.init)

    private static let text = """
        abacus able aboard about above absorb accent acid acorn acre across act action actor actual adapt add
        admit adult advice aerial afloat afraid after again age agency agree aim airbag airy ajar alarm album
        alcove alert alien alike alive alley allow almost alone alpaca alpha alpine also always amber amount
        ampere ample amuse anchor anger angle animal ankle annual answer antler any anyway apart appeal apple
        apron arcade arch arctic area arena arm armpit aroma around arrive arrow art artist aside ask aspect
        assist asthma astral atlas atom attach attend august author autumn avenue avoid awake award away azure
        baby back bacon badge baffle bagel baggy baker ballet balm bamboo banana band banjo banner bar barber
        barge barley barn baron barrel basalt basic basket batch bath battle beacon beaker beam beard beast
        become bed beef beetle before begin behave bellow belong belt bench bento beyond bigger bike bill bin
        bingo birch bird bison bit bitten black blade blame blank blast blaze bleach blend bless blimp blink
        blob block blond bloom blouse bluish blush boat bobbin bobcat bodice body boil bolt bone bonnet bonsai
        bonus book boom boost border borrow boss bother bottle bounce bowl box boxer boxing brain branch brass
        brave breath breeze brew brick bridge brief bright bring broad broken bronze brook brown brunch brush
        bubble bucket buddy budget buffet bug buggy bugle build bulb bumble bumper bunch bundle bunker bunny
        burden burger burrow burst bus busy butler butter buyer bypass cab cabin cable cactus caddy cadet cage
        calf calico calm camel camp canal cancel candle canine cannon canopy canvas canyon cape carafe carbon
        card cargo carol carpet carrot cart carve cashew castle casual catch catnip cattle cause caviar celery
        celtic cement chain chalk champ chance chaos chapel charm chase cheek chef cherry chess chew chick chief
        child chime chin choice chop chorus chunk cider cinder cinema circle city civil claim claret clash claw
        clay clean clerk clever client cliff climb clinic clip clock cloth cloud clover clown club clue coach
        coast cobble cobweb cocoa code coffee coil cold collar colony column comb come comfy comic common condo
        convoy cool copper copy cork corn corset cosmic cost cotton couch cougar count couple cousin cover cow
        cowboy coyote crab crack cradle craft crane crater crawl crayon cream creed crew crisp critic crook crop
        crumb crunch crust cry cube cuckoo cuddle cup curb curl curry curve custom cut cycle dagger daily dairy
        daisy damage damp dance dandy danger dare dark dash data date dawdle dawn day dazzle deal debate decade
        decent decide deck decor deep defend define degree delay delta deluge demand dental depart depend depict
        depot depth derby design desk detail detect detour device devote dial diary dice diesel diet differ
        digest digger digit dimmer diner dinghy dinner dip dipper direct dirt disco dish ditch divide dizzy dock
        doctor dodge dog doll domain donate donkey donor doodle door dormer dose dot double dove down dozen
        dragon drain drama drape draw dream dress drift drill drink drive drop drum dry duet dugout dull dusk
        duty dynamo each eager eagle early earth earwig ease easily easy eat eatery echo eclair edge edit effect
        effort egg eighty either elated elbow elder elect eleven elope embark emblem emerge empire employ empty
        enable encode end endow energy engage engine enjoy enlist enough enrich enroll ensign ensure enter
        entire entry envoy epic equal equip era errand escape essay estate event ever evolve exam excel excite
        excuse exist exit exodus exotic expand expect expire export extend extra fabric facade face facial fact
        fade fail fajita falcon fall false family famous fan fancy farm fast father fault fear feast fee feed
        feel feline fellow felt fence fern ferry fetch fever few fiasco fickle fidget field fiery fiesta fifth
        fig fight figure file film filter final finch fine finger finish firm first fish fizz flag flame flank
        flap flash flat fleece flesh flight flint flip float flock flood floppy flora fluent fluff fluid flurry
        flute fly foam focus fodder foggy folk follow fondue food foot forage forest forget fork forum fossil
        foster found fox frail frame freely fresh fridge friend frisky frog from front frost frozen fruit fuel
        fumble fun funny fur furry fusion future fuzzy gadget gain galaxy gale gallon galore game gander gap
        garage garden garlic gas gather gauze gazebo gear gecko gem genius genre gentle get ghost giant gibbon
        gift giggle ginger girder gist give glad glance glare glass glazed gleam glide glitch globe glory glossy
        glove glow glue glum goal goat gobble goblin goggle golf gong good goose gopher gorge govern gown grab
        grace grand grape grass grater gravel grease green grid grin grip grocer groom grotto ground grove grow
        grub grumpy guard guess guide guinea guitar gulf gull gum guppy gusty gym habit haggis half halt ham
        hamlet hammer hang happen hard harp haven hawk hazard hazel hazy head health heart heavy hectic heed
        height helium helmet help hen herald hermit hero hidden hiker hiking hill hippo hit hive hobby hockey
        hoist hold hollow homage home honest hoof hoop hooray hope hopper horn hotdog hotel hound hover howl hub
        huddle huge human humble humid hummus hunger hunt hurry hustle hyphen ice icebox icicle icing icon idea
        igloo ignore iguana image immune impact imply import inbox inch income indeed indigo indoor infant
        inform infuse ink inkjet inkpot inlet inner input insect inside insult intake intend invade invent
        invite invoke inward iris island issue itch item ivory ivy jacket jaguar jar jaunty jazz jeep jelly
        jersey jet jigsaw jingle job jockey jog jogger join joke jolly jolt joy joyful judge juggle juice july
        jumbo jump june jungle junior just kayak kazoo keen keg kennel kettle kick kid kidney kiln kind king
        kiosk kipper kiss kite kitten kiwi knee knife knock koala label lace ladder lady lagoon lamp lancer land
        lapel laptop larder large latch late lather laugh lava law lawful lawn lawyer layer layout lazy leader
        leaf league leap learn leave ledger left leg legal legend legion lemon length lens lentil letter level
        lid life light lilac lily limb lime limit lingo lion liquid list litmus little lizard loaf lobby local
        locket lodge lofty logic logo loin lonely long look loop loose lorry lotion lotus loud lounge love loyal
        lucid lucky lunar lunch lung luxury madam magic magma magnet magpie major make mallet mammal man manage
        mango manual maple maraca marble march margin marine mark marmot maroon marrow marvel mascot master
        match matrix matter mature may mayor meadow media medley mellow melody melt member memory mental menu
        merry mesh meteor method metro middle midway mighty mild milk minnow mint minute mirror mitten mix mixer
        mobile mocha model module moment money monkey month moon mop moped more morsel mortar mosaic most motel
        mother motion motor motto mount mouse mouth movie much mud muesli muffin museum music musket must mutton
        mutual mystic name nap napkin narrow nation nature navy near neck nectar needle neon nerve nest never
        news newton next nice nickel nifty nimble nine ninja nobody noise nomad noodle noon nordic normal north
        note notice now nozzle nugget number nurse nut nutmeg nylon oak oasis oath obey object oblong oboe
        obtain occur ocean octave odd odds offer office offset often okay old olive omelet omit once onion only
        onward opal opaque open opera oppose option orange orbit orchid order organ orient origin oriole other
        otter outcry outer outfit outing outlet output oval oven owl owner oxygen oyster ozone pack pad paddle
        page paint palace palm pamper panda panel panic pantry paper parade parcel parent park parrot party pass
        pasta patent path patio patrol pave paving peach peanut pebble pecan peep peg pencil penny people pepper
        period perky permit person petal petrol phase phone photo phrase piano pick picnic pig pigeon piglet
        pike pill pilot pinata pink pipe pirate piston pitch pixie pizza placed plan plasma play plaza please
        pledge plenty pliers plinth plod plop pluck plug plume plus pocket poem poet point poise polar police
        polka pollen polo poncho pond pony poodle pool poplar poppy porch porous port possum potato potter pouch
        pounce powder power prank prawn prefer press pretty price primer print prism prize probe prompt proof
        proper proton proud prove prune public puddle puffin pulp pulse pump punch pupil puppet pure purity
        purple purse push put putter puzzle pylon python quack quake quasar queen query quest quick quiet quill
        quit quiver quiz quote radar radio raffle raft rag raging rail raisin rally ramble ranch random range
        rank rapid rare rat rather ratio rattle raven razor reach ready realm reason rebate recall recent recipe
        record reduce reef refer refill reflex reform refuse region regret reject relax relief reload rely
        remain remedy remind remote render renew rent repair repeat reply report rescue resist resort result
        retire return revamp reveal reward rewind rhino rib ribbon rich riddle ride ridge riding rinse ripe
        ripple risk ritual rival river roast robe robin robot robust rock rod rodent roller roof rookie roomy
        roost rope roster rotate rotor router rover rowing royal rubber ruby rudder rugby rugged ruin rule run
        runner runway rural rush sad saddle safari safe saga sailor salad salmon salon salt salute sample sash
        satin saturn saucer sauna save scale scan scenic school scoop score scout scrap screen script scroll
        scrub search season seat second secret sector secure seesaw select self senate senior sense sentry
        series serve sesame settle seven shabby shadow shaft shaggy shaken shape share shed sheep shelf shield
        shift shimmy shine ship shirt shiver shock shoddy short shovel show shrimp shun shut shy sierra signal
        silent silk silly silo silver simmer simple since siren sister sitter six sixty sizzle skate sketch
        skewer ski skill skimpy skin skirt skull sky slab slam slate sled sleep slice slide slim sliver slogan
        slope slot slump small smart smell smile smog smoke smooth snack snag snail snake snatch sneeze sniff
        snip snooze snow snug soak soap soccer social soda sodium sofa soft soggy solar solemn solid solo solve
        sonata song sonic soon sorry sorted sound soup sour south space spare speak sped speech spell spend
        sphere spice spider spike spin spiral splash splint spoil spoken sponge spoon sport spot spray spread
        spring sprout spruce spy squad squeak squid stable staff stage stairs stamp stand staple star stay steam
        steep stem stereo stick still sting stir stitch stocky stomp stone stool stop store stout stove strap
        stream strike strong strut stub stuck studio stuff stump sturdy sub submit subtle subway sudden suffix
        sugar suit summer sunken sunlit sunny sunset super supper surely survey sushi swamp swan swap swarm
        swatch sweep swift swig swim swing swirl switch swivel syntax syrup system tab tabby table tackle taco
        tailor take talcum talent tall tandem tango tank tape target tariff task taste tavern taxi teach teapot
        teaser tell temple tenant tender tennis tent term text thank that theme theory thick thing thirst this
        thread thrill throat thumb ticket tidal tidbit tidy tiger tile tilt timber timer timid tinder tinkle
        tinsel tinted tiny tip tired tissue title toast today toffee toggle toil token tomato tomcat tone tongue
        tooth topaz topic torch torque toss total totem touch tour towel town toy track trade train trap travel
        tray treat tree tremor trend trial tribe trick trifle trim trio trophy trot trout trowel true trunk
        trusty truth tube tuck tuft tug tulip tumble tuna tunic tunnel turbo turf turkey turnip turtle tuxedo
        twelve twenty twice twig twin twirl twist type typist ultra unable uncle under undo uneven unfold union
        unique unison unit unlike unlock unmask unpack unrest until unveil unwind unwrap unzip update upload
        upper uproar upset upside uptown upward urban urchin urgent use useful usual utopia vacant vacuum valid
        valley value valve vanish varied vase vast vault vector vegan velcro velvet vent vessel victor video
        view viking villa vine vinyl violet visa vision visual vital vivid vocal voice volley volume vote vowel
        voyage waddle wag wagon waiter wake walk wall walnut walrus waltz wand want warden wary wash water
        waving wax wealth web webcam wedge weekly west whaler whisk wicket wide widget wife wiggle wigwam wild
        willow winery wing wink winner winter wire wiring wisdom wish wit wizard wolf wonder wooden wool word
        worm worry worth wreath wrench wrist yacht yak yam yard yarn yawn year yellow yes yeti yodel young youth
        zapper zebra zero zigzag zinc zip zipper zircon zodiac zombie zone zoning zoo zoom
        """
}
